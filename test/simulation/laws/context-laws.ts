import { contextOf } from '../../../src/agent/context.ts'
import type { LogEntry } from '../../../src/domain/log/entry.ts'
import { same } from '../law-broken.ts'

/** In what is sent to a model every call has exactly one result, right behind the message that asked for it. */
export function expectContext(log: readonly LogEntry[]): void {
  for (const { runId, body } of log) {
    if (body.kind !== 'step') continue
    for (const id of body.calls ?? []) {
      const results = log.filter((entry) => entry.runId === runId && entry.body.kind === 'result' && entry.body.toolCallId === id)
      same(results.length, 1, `T5: a model is asked when every call has one result (${id})`)
    }
  }
  const context = contextOf(log, 'test')
  for (const [i, { role, content }] of context.entries()) {
    if (role !== 'assistant' || typeof content === 'string') continue
    const asked = content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
    const next = context[i + 1]
    const answered = next?.role === 'tool' ? next.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])) : []
    same(answered, asked, 'G31: each call that a model sees has one result, right behind it')
  }
}
