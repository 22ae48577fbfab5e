import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asRunId } from '../../kernel/ids.ts'
import {
  type ActivityKind,
  activityOf,
  type Doing,
  isWithin,
  pathBelow,
  prefixesOf,
  rootOf,
  sequencesOf,
  type SessionStatus,
  statusOf,
  type Work,
} from './session.ts'

const running = (doing: Doing): Work => ({ kind: 'running', since: 1, runId: asRunId('r'), run: 0, doing })

test.each<[Work, SessionStatus, ActivityKind]>([
  [{ kind: 'idle', since: 1 }, 'IDLE', 'IDLE'],
  [{ kind: 'queued', since: 1 }, 'BUSY', 'QUEUED'],
  [running('THINKING'), 'BUSY', 'THINKING'],
  [running('RESPONDING'), 'BUSY', 'RESPONDING'],
  [running('CALLING_TOOL'), 'BUSY', 'CALLING_TOOL'],
  [running('AWAITING_PERMISSION'), 'AWAITING_PERMISSION', 'AWAITING_PERMISSION'],
])('Q8: a session with the work %o is %s and its activity %s', (work, status, activity) => {
  expect([statusOf({ work }), activityOf({ work })]).toEqual([status, activity])
})

const sequences = fc.array(fc.integer({ min: 1, max: 999_999_999_999 }), { minLength: 1, maxLength: 9 })
const pathOf = (steps: readonly number[]): string => steps.reduce(pathBelow, '')
const startsWith = (steps: readonly number[], prefix: readonly number[]) => prefix.every((step, i) => steps[i] === step)

test('S3: a path tells the generations from the root down', () => {
  expect(pathBelow('', 7)).toBe('000000000007')
  expect(pathBelow('000000000007', 12)).toBe('000000000007000000000012')
  fc.assert(
    fc.property(sequences, (steps) => {
      expect(sequencesOf(pathOf(steps))).toEqual(steps)
    }),
  )
})

test('S3: the prefixes of a path are the paths of the ancestors, the root first, and the path itself', () => {
  fc.assert(
    fc.property(sequences, (steps) => {
      expect(prefixesOf(pathOf(steps))).toEqual(steps.map((_, i) => pathOf(steps.slice(0, i + 1))))
      expect(rootOf(pathOf(steps))).toBe(prefixesOf(pathOf(steps))[0])
    }),
  )
})

test('S3: a path lies within another exactly when the other is its own or an ancestor’s', () => {
  fc.assert(
    fc.property(sequences, sequences, fc.nat({ max: 9 }), (a, tail, shared) => {
      const b = [...a.slice(0, shared), ...tail]
      expect(isWithin(pathOf(a), pathOf(b))).toBe(startsWith(b, a))
      expect(isWithin(pathOf(a), pathOf([...a, ...tail]))).toBe(true)
    }),
  )
})

test('S3: paths sort like their generations', () => {
  fc.assert(
    fc.property(sequences, sequences, (a, b) => {
      const difference = a.findIndex((step, i) => step !== b[i])
      const isBefore = difference === -1 ? a.length < b.length : (a[difference] ?? 0) < (b[difference] ?? 0)
      expect(pathOf(a) < pathOf(b)).toBe(isBefore)
    }),
  )
})
