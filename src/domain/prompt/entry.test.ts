import { expect, test } from 'vitest'
import { entryWith } from '../../../test/support/content.ts'
import { asRunId, type RunId } from '../../kernel/ids.ts'
import { type EntryState, type EntryStatus, runIdOf, statusOf } from './entry.ts'

const runId = asRunId('r')
const ended = { kind: 'finished', error: null, finishedAt: 3 } as const

test.each<[EntryStatus, RunId | null, EntryState]>([
  ['QUEUED', null, { kind: 'queued' }],
  ['STARTED', runId, { kind: 'started', runId, startedAt: 2 }],
  ['RUNNING', runId, { kind: 'running', runId, startedAt: 2 }],
  ['COMPLETED', runId, { ...ended, status: 'COMPLETED', runId, startedAt: 2 }],
  ['FAILED', runId, { ...ended, status: 'FAILED', runId, startedAt: 2 }],
  ['CANCELLED', null, { ...ended, status: 'CANCELLED', runId: null, startedAt: null }],
])('Q5: %s is the status of an entry with the run %j in the state %o', (status, id, state) => {
  const entry = entryWith({ state })
  expect([statusOf(entry), runIdOf(entry)]).toEqual([status, id])
})
