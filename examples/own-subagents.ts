/*
 * Subagents of an application: who may be asked without a question, and a tree of sessions that tells of itself while it
 * works. It uses the offline model and keeps everything in memory, so it can be run as it is; it ends by itself.
 */
import {
  type Answer,
  asScopeId,
  asSessionId,
  createHarness,
  type Log,
  memoryStores,
  type MessageId,
  modelRegistry,
  type PolicyRule,
  type SubagentDefinition,
  systemClock,
} from 'flexharness-graphql'

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const subagents: readonly SubagentDefinition[] = [
  { name: 'editor', description: 'Has a text written and revised. Say what about.', system: 'You are an editor.' },
  { name: 'author', description: 'Writes a text.', system: 'You are an author.', budget: { totalTokens: 10_000 }, tools: [] },
]

// A rule for `delegate` says whether a person is asked: not for the editor, and for all others.
const policies: readonly PolicyRule[] = [{ tool: 'delegate', input: { subagentType: 'editor' }, effect: 'allow' }]

const models = modelRegistry({ default: 'offline:offline', providers: {} }, systemClock)
const log: Log = { info: () => undefined, warn: () => undefined, error: (_, message) => say(message) }
const limits = { maxSubagentDepth: 2 }
const stores = memoryStores({ clock: systemClock })
const harness = createHarness({ stores, models, log, subagents, policies, limits })

const scopeId = asScopeId('default')
const sessionId = asSessionId('first')
const caller = { principal: 'ada' }

await harness.start()
const root = valueOf(await harness.createSession({ scopeId, sessionId }, caller))
const tree = { key: root.key, path: root.place.path, includeDescendants: true }
const updates = await harness.subscriptions.events({ scopeKey: root.scopeKey, session: tree, deltas: false })

const text = 'delegate to editor: (delegate to author: count to 3)'
valueOf(await harness.enqueuePrompt({ scopeId, sessionId, text }, caller))

for await (const update of updates) {
  if (update.type !== 'event') continue
  const { body, sessionId: where } = update.event
  if (body.type === 'session.created' && body.agent !== null) say(`level ${body.depth}: ${body.agent} begins`)
  if (body.type === 'permission.requested') {
    const { permissionId, description } = body.permission
    say(`asked: ${description}`)
    valueOf(await harness.respondToPermission({ scopeId, permissionId, decision: 'ONCE' }, caller))
  }
  if (body.type !== 'run.finished') continue
  for (const line of await textsOf(body.messageId)) say(`${where === sessionId ? 'the answer' : 'an answer'}: ${line}`)
  if (where === sessionId) break
}

const { tree: sums } = (await stores.sessions.find(root.scopeKey, sessionId)) ?? root
say(`sessions below the first one: ${sums.descendants}`)
await harness.close()

/** What a message says. */
async function textsOf(messageId: MessageId): Promise<readonly string[]> {
  const messages = await stores.messages.findMany([messageId])
  const parts = await stores.messages.parts(messages)
  return parts.flatMap(({ body }) => (body.kind === 'text' ? [body.text] : []))
}

/** What the harness did, or an error that says why it did not. */
function valueOf<T>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(answer.refusal.message)
  return answer.value
}
