import type { EventBody } from '../../src/domain/event/event.ts'
import type { Commit } from '../../src/ports/stores/unit-of-work.ts'

/** What a commit is about, by what is in it; it may be of several kinds. */
export type CommitKind = (typeof commitKinds)[number]

export const commitKinds = [
  'enqueue',
  'admit',
  'checkpoint',
  'step',
  'ask',
  'answer',
  'begin tool',
  'end tool',
  'resume',
  'uncertain',
  'reconcile',
  'end run',
] as const

const byEvent: Partial<Record<EventBody['type'], CommitKind>> = {
  'prompt.queued': 'enqueue',
  'run.started': 'admit',
  'permission.requested': 'ask',
  'permission.resolved': 'answer',
  'tool.uncertain': 'uncertain',
  'tool.reconciled': 'reconcile',
  'run.finished': 'end run',
}

export function kindsOf({ events, rows, sessions }: Commit): ReadonlySet<CommitKind> {
  const kinds = new Set(events.flatMap(({ body }) => byEvent[body.type] ?? []))
  for (const write of rows) {
    if (write.table === 'chunk' && write.op === 'insert') kinds.add('checkpoint')
    if (write.table !== 'log') continue
    if (write.row.body.kind === 'step') kinds.add('step')
    if (write.row.body.kind === 'intent') kinds.add('begin tool')
    if (write.row.body.kind === 'result') kinds.add('end tool')
  }
  const isNewEpoch = sessions.some(({ row, expected }) => row.epoch > expected.epoch)
  if (isNewEpoch && !kinds.has('admit')) kinds.add('resume')
  return kinds
}
