import { expect, test } from 'vitest'
import type { RunOutcome } from '../../domain/run/outcome.ts'
import { asRunId } from '../../kernel/ids.ts'
import { afterLease } from './after-lease.ts'
import { RunLease } from './run-lease.ts'

/** A lease whose closes end as the given ones, and the signals with which it was asked for. */
function lease(...closes: readonly (Error | 'closed')[]) {
  const signals: AbortSignal[] = []
  const left = [...closes]
  const close = async () => {
    const end = left.shift()
    if (end instanceof Error) throw end
  }
  const run = new RunLease(async (signal) => {
    signals.push(signal)
    return { close }
  })
  return { run, signals, left }
}

const errors: unknown[] = []
const log = { info: () => {}, warn: () => {}, error: ({ err }: { readonly err?: unknown }) => errors.push(err) }
const after = <O extends RunOutcome | 'lost'>(held: RunLease | null, outcome: O) =>
  afterLease({ log }, { run: { runId: asRunId('r') }, lease: held }, outcome)

const completed = { status: 'COMPLETED' } as const
const failed = { status: 'FAILED', error: { code: 'MODEL_FAILED', message: 'No.', source: 'model' } } as const

test('G85: a lease is asked for once, and its signal aborts with whatever stops the run', async () => {
  const { run, signals } = lease()
  const [prompt, execution] = [new AbortController(), new AbortController()]
  await run.enter(prompt.signal)
  await run.enter(execution.signal)
  expect(signals).toHaveLength(1)
  execution.abort('the run')
  prompt.abort('the prompt')
  expect(signals[0]?.reason).toBe('the run')
})

test('G85: a lease that is being closed is not stopped any more', async () => {
  const { run, signals } = lease()
  const execution = new AbortController()
  await run.enter(execution.signal)
  await run.close()
  execution.abort()
  expect(signals[0]?.aborted).toBe(false)
})

test('G86: a run completes once its lease is closed, and without one at once', async () => {
  const { run, left } = lease('closed')
  await run.enter(new AbortController().signal)
  expect(await after(run, completed)).toBe(completed)
  expect(left).toEqual([])
  expect(await after(lease().run, completed)).toBe(completed)
  expect(await after(null, completed)).toBe(completed)
})

test('G86: a lease that cannot be closed fails a run that had completed, and changes no other outcome', async () => {
  const busy = new Error('the secret is 42')
  const { run } = lease(busy, busy, busy)
  await run.enter(new AbortController().signal)
  errors.length = 0
  expect(await after(run, completed)).toEqual({
    status: 'FAILED',
    error: { code: 'ADMISSION_FAILED', message: 'The admission of the delegated run failed.', source: 'delegatedRunAdmission' },
  })
  expect(await after(run, failed)).toBe(failed)
  expect(await after(run, 'lost')).toBe('lost')
  expect(errors).toEqual([busy, busy, busy])
})
