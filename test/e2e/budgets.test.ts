import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder, startServer } from '../support/server-process.ts'
import { asked, enqueue, inboxOf, respond, told, toldAtLast } from './approving.ts'
import { ask } from './client.ts'
import { CREATE } from './operations.ts'

const session = 'first'

const ENQUEUE = `mutation($session: ID!, $text: String!, $budget: BudgetInput) {
  enqueuePrompt(input: { scopeId: "default", sessionId: $session, text: $text, options: { budget: $budget } }) {
    __typename ... on Error { code message }
    ... on EnqueuePromptPayload { entry { budget { totalTokens wallClockMs idleMs } } }
  }
}`

const RUNS = `query($session: ID!) {
  session(scopeId: "default", sessionId: $session) {
    runs(first: 1) { edges { node { status error { code source } workedMs usage { totalTokens } budget { totalTokens } } } }
  }
}`

test('R116: the real process: what a subagent had said is told in part once its budget is used up, also after a kill', async () => {
  using folder = scratchFolder()
  const file = join(folder.path, 'subagents.json')
  await writeFile(file, JSON.stringify([{ name: 'worker', description: 'Works.', budget: { totalTokens: 1 } }]))
  const env = { HARNESS_SUBAGENTS: file }
  await using first = await startServer({ folder: folder.path, env })
  await ask(first.url, CREATE, { session })
  await enqueue(first.url, session, 'delegate to worker: calculate 6 * 7')
  const inbox = inboxOf(first.url)
  const { permissionId } = await asked(inbox)
  inbox.stop()
  await first.end('SIGKILL')

  await using second = await startServer({ folder: folder.path, env })
  await respond(second.url, { permissionId, decision: 'ONCE' })
  expect(await toldAtLast(second.url, session)).toMatchObject({
    runs: [{ status: 'COMPLETED', error: null }],
    parts: [
      { toolName: 'delegate', status: 'COMPLETED', output: { status: 'partial' } },
      { text: expect.stringContaining('in part, then its budget was spent') as string },
    ],
  })

  const budget = { totalTokens: 1, idleMs: 60_000 }
  const { enqueuePrompt } = await ask<{ enqueuePrompt: unknown }>(second.url, ENQUEUE, { session, text: 'list files', budget })
  expect(enqueuePrompt).toMatchObject({ entry: { budget: { ...budget, wallClockMs: null } } })
  await toldAtLast(second.url, session)
  const { session: after } = await ask<{ session: unknown }>(second.url, RUNS, { session })
  expect(after).toMatchObject({
    runs: { edges: [{ node: { status: 'FAILED', error: { code: 'BUDGET_EXCEEDED', source: 'harness' }, budget: { totalTokens: 1 } } }] },
  })
  expect(await told(second.url, session)).toMatchObject({ status: 'IDLE' })
}, 120_000)
