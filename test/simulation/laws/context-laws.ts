import { contextOf } from '../../../src/agent/context.ts'
import type { LogEntry } from '../../../src/domain/log/entry.ts'
import type { RunId } from '../../../src/kernel/ids.ts'
import { same } from '../law-broken.ts'

/** In what is sent to a model every call has exactly one result, right behind the message that asked for it. */
export function expectContext(log: readonly LogEntry[]): void {
  const context = contextOf(log, 'test')
  for (const [i, { role, content }] of context.entries()) {
    if (role !== 'assistant' || typeof content === 'string') continue
    const asked = content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
    const next = context[i + 1]
    const answered = next?.role === 'tool' ? next.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])) : []
    same(answered, asked, 'G31: each call that a model sees has one result, right behind it')
  }
}

/** Whoever executes a run asks its model only when the results of all its calls are durable. */
export function expectResults(log: readonly LogEntry[], run: RunId): void {
  const own = log.filter(({ runId }) => runId === run).map(({ body }) => body)
  const asked = own.flatMap((body) => (body.kind === 'step' ? (body.calls ?? []) : []))
  for (const id of asked) {
    const results = own.filter((body) => body.kind === 'result' && body.toolCallId === id)
    same(results.length, 1, `X1: a model is asked when every call has one result (${id})`)
  }
}
