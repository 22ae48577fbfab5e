import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { AbortReason, LinkedController } from './abort.ts'

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

test('an abort reason is an AbortError that says why', () => {
  const reason = new AbortReason('superseded', 'A prompt interrupted the run.')
  expect(reason).toBeInstanceOf(Error)
  expect(reason).toMatchObject({ name: 'AbortError', kind: 'superseded', message: 'A prompt interrupted the run.' })
})

test('K6: a controller aborts with its parents, with the reason of the first, and lets go of the others', () => {
  const [server, session] = [new AbortController(), new AbortController()]
  const run = new LinkedController(server.signal, session.signal)
  expect([run.signal.aborted, listeners(server.signal), listeners(session.signal)]).toEqual([false, 1, 1])
  session.abort('the session')
  expect([listeners(server.signal), listeners(session.signal)]).toEqual([0, 0])
  server.abort('the server')
  run.abort('the run')
  expect(run.signal.reason).toBe('the session')
})

test('K6: a parent that comes later is one like the others, also when it was aborted before', () => {
  const [first, later] = [new AbortController(), new AbortController()]
  const run = new LinkedController(first.signal)
  run.follow(later.signal)
  later.abort('later')
  expect([run.signal.reason, listeners(first.signal), listeners(later.signal)]).toEqual(['later', 0, 0])
  const other = new LinkedController()
  other.follow(later.signal)
  expect(other.signal.reason).toBe('later')
})

test('K6: a controller that aborts by itself lets go of its parents and does not abort them', () => {
  const parent = new AbortController()
  const child = new LinkedController(parent.signal)
  child.abort('first')
  child.abort('second')
  expect([child.signal.reason, parent.signal.aborted, listeners(parent.signal)]).toEqual(['first', false, 0])
  parent.abort('third')
  expect(child.signal.reason).toBe('first')
})

test('K6: a controller of an aborted parent is aborted at once, with the reason of the first such parent', () => {
  const open = new AbortController()
  const child = new LinkedController(open.signal, AbortSignal.abort('first'), AbortSignal.abort('second'))
  expect([child.signal.aborted, child.signal.reason, listeners(open.signal)]).toEqual([true, 'first', 0])
})

test('K6: a controller of an aborted parent does not listen to those after it either', () => {
  const open = new AbortController()
  const child = new LinkedController(AbortSignal.abort('first'), open.signal)
  open.abort('second')
  expect([child.signal.reason, listeners(open.signal)]).toEqual(['first', 0])
})

test('K6: a disposed controller leaves no listener and no longer aborts with its parents, but still by itself', () => {
  const parent = new AbortController()
  const signals = Array.from({ length: 1000 }, () => {
    using child = new LinkedController(parent.signal)
    return child.signal
  })
  expect(listeners(parent.signal)).toBe(0)
  parent.abort('late')
  expect(signals.some(({ aborted }) => aborted)).toBe(false)

  const child = new LinkedController(parent.signal)
  expect(child.signal.reason).toBe('late')
  const disposed = new LinkedController(new AbortController().signal)
  disposed[Symbol.dispose]()
  disposed.abort('own')
  expect(disposed.signal.reason).toBe('own')
})

test('a controller needs no parents', () => {
  const root = new LinkedController()
  const reason = new AbortReason('shutdown', 'The server stops.')
  root.abort(reason)
  expect(root.signal.reason).toBe(reason)
})
