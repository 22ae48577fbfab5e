/*
 * A harness inside of an application: a tool of its own, rules about when it asks, and a person who answers. It uses the
 * offline model and keeps everything in memory, so it can be run as it is; it ends by itself.
 */
import { tool } from 'ai'
import { z } from 'zod'
import {
  type Answer,
  asScopeId,
  asSessionId,
  builtInTools,
  createHarness,
  type Log,
  memoryStores,
  modelRegistry,
  type PolicyRule,
  sdkToolProvider,
  systemClock,
  systemIds,
  ToolError,
} from 'flexharness-graphql'

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const sendMail = tool({
  description: 'Sends a mail.',
  inputSchema: z.object({ to: z.string(), text: z.string() }),
  // It changes something, and must not happen twice: so people are asked, and a crash does not repeat it.
  metadata: { readOnly: false, idempotent: false, timeoutMs: 10_000 },
  execute: async ({ to, text }) => {
    if (!to.includes('@')) throw new ToolError(`${to} is no address.`)
    say(`to ${to}: ${text}`)
    return { sent: true }
  },
})

const tools = sdkToolProvider({
  ...builtInTools({ root: './workspace', clock: systemClock, ids: systemIds }),
  send_mail: sendMail,
})

const policies: readonly PolicyRule[] = [
  { tool: 'send_mail', input: { to: '*@example.com' }, effect: 'allow' },
  { tool: 'http_fetch', effect: 'deny', message: 'There is no network here.' },
]

const models = modelRegistry({ default: 'offline:offline', providers: {} }, systemClock)
const log: Log = { info: () => undefined, warn: () => undefined, error: (_, message) => say(message) }
const harness = createHarness({ stores: memoryStores({ clock: systemClock }), models, log, tools, policies })

const scopeId = asScopeId('default')
const sessionId = asSessionId('first')
const caller = { principal: 'ada' }

await harness.start()
valueOf(await harness.createSession({ scopeId, sessionId }, caller))

await ask({ to: 'grace@example.com', text: 'this needs no permission' })
await ask({ to: 'grace@example.org', text: 'this does' })
await harness.close()

/** Enqueues a prompt, answers for the person, and returns when the run has ended. */
async function ask(mail: { readonly to: string; readonly text: string }): Promise<void> {
  const text = `call send_mail with ${JSON.stringify(mail)}`
  const opened = await harness.openScope(scopeId, caller)
  if (!opened?.scope) throw new Error('There is nothing in the scope.')
  const updates = await harness.subscriptions.events({ scopeKey: opened.scope.key, deltas: false })
  valueOf(await harness.enqueuePrompt({ scopeId, sessionId, text }, caller))
  for await (const update of updates) {
    if (update.type !== 'event') continue
    const { body } = update.event
    if (body.type === 'permission.requested') {
      const { permissionId, description } = body.permission
      say(`asked: ${description}`)
      valueOf(await harness.respondToPermission({ scopeId, permissionId, decision: 'ONCE' }, caller))
    }
    if (body.type === 'run.finished') return say(`the run ended: ${body.status}`)
  }
}

/** What the harness did, or an error that says why it did not. */
function valueOf<T>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(answer.refusal.message)
  return answer.value
}
