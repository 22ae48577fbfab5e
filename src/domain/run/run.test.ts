import { expect, test } from 'vitest'
import { completed, requestBy, runWith } from '../../../test/support/content.ts'
import { abortOf, isLive, type RunState } from './run.ts'

const request = requestBy('bob')

test.each<[boolean, typeof request | null, RunState]>([
  [true, null, { kind: 'admitting' }],
  [true, null, { kind: 'resolving', aborting: null }],
  [true, request, { kind: 'resolving', aborting: request }],
  [true, null, { kind: 'generating', aborting: null }],
  [true, request, { kind: 'generating', aborting: request }],
  [true, null, { kind: 'finalizing', outcome: completed, generated: true }],
  [false, null, { kind: 'finished', outcome: completed, at: 5 }],
])('R2: live (%s) and asked to stop (%o) is a run in the state %o', (live, asked, state) => {
  expect([isLive(runWith({ state })), abortOf(runWith({ state }))]).toEqual([live, asked])
})
