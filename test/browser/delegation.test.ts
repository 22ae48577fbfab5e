import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath, launchChromium } from '../support/chromium.ts'
import { scratchFolder, startServer } from '../support/server-process.ts'
import { edit } from './edit.ts'
import { type GraphiqlPage, openGraphiql } from './graphiql-page.ts'
import { observePages } from './observe-pages.ts'

const path = chromiumPath()
/** Tall enough for what eight messages in four sessions are. */
const viewport = { width: 1400, height: 8000 }
const within = { timeout: 60_000, interval: 50 }

interface Request {
  readonly permissionId: string
  readonly description: string
  readonly state: string
}

/** A request that waits and was not answered before, once the tab of approvals shows one. */
async function fresh({ result }: GraphiqlPage, answered: ReadonlySet<string>): Promise<Request> {
  const waiting = async (): Promise<Request | undefined> => {
    const { data } = ((await result()) ?? {}) as { data?: { pendingPermissions: readonly Request[] } }
    return data?.pendingPermissions.find(({ state, permissionId }) => state === 'PENDING' && !answered.has(permissionId))
  }
  await expect.poll(waiting, within).toBeDefined()
  const request = await waiting()
  if (!request) throw new Error('It is not shown any more.')
  return request
}

describe.skipIf(path === undefined)('in a browser', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launchChromium(path!)
  }, 180_000)

  afterAll(() => browser.close())

  test('V82: the tabs of GraphiQL delegate, answer what is asked, and show the tree and what came back', async () => {
    using folder = scratchFolder()
    await using server = await startServer({ folder: folder.path })
    await using context = await browser.newContext({ viewport })
    const wrong = observePages(context, server.url)
    const page = await openGraphiql(context, server.url)
    await page.run()
    await expect.poll(page.result, within).toMatchObject({ data: { createSession: { session: { status: 'IDLE' } } } })
    await page.choose('Delegate')
    await page.run()
    await expect.poll(page.result, within).toMatchObject({ data: { enqueuePrompt: { __typename: 'EnqueuePromptPayload' } } })

    const answered = new Map<string, string>()
    while (answered.size < 4) {
      await page.choose('Approvals')
      await page.run()
      const { permissionId, description } = await fresh(page, new Set(answered.keys()))
      await page.choose('Answer')
      await edit(page, { permissionId })
      await page.run()
      const permission = { permissionId, decision: 'ONCE' }
      await expect.poll(page.result, within).toMatchObject({ data: { respondToPermission: { permission } } })
      answered.set(permissionId, description)
    }
    expect([...answered.values()].filter((description) => description.startsWith('Delegate to'))).toHaveLength(3)

    await page.choose('LiveRun')
    await page.run()
    await expect.poll(page.result, within).toMatchObject({ data: { liveRun: { status: 'COMPLETED' } } })
    await page.choose('Family')
    await page.run()
    await expect.poll(page.result, within).toMatchObject({
      data: {
        session: {
          treeStatus: 'IDLE',
          descendantCount: 3,
          descendants: { edges: [{ node: { agent: 'researcher' } }, { node: { depth: 2 } }, { node: { agent: 'writer' } }] },
        },
      },
    })
    await page.choose('Delegated')
    await page.run()
    await expect.poll(async () => JSON.stringify(await page.result()), within).toContain('The subagent writer answered: 1 2 3 4 5')
    expect(readFileSync(join(folder.path, 'workspace', 'hello.txt'), 'utf8')).toBe('hello')
    expect(wrong).toEqual([])
  }, 300_000)
})
