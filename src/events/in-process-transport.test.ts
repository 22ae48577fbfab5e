import { expect, test } from 'vitest'
import type { ScopeKey } from '../kernel/ids.ts'
import type { Signal } from '../ports/event-transport.ts'
import { inProcessTransport } from './in-process-transport.ts'

const signal: Signal = { type: 'grown', scopeKey: 1 as ScopeKey, head: 1, events: [] }

function transport() {
  const lines: Readonly<Record<string, unknown>>[] = []
  const error = (fields: Readonly<Record<string, unknown>>) => {
    lines.push(fields)
  }
  return { lines, transport: inProcessTransport({ log: { info: error, warn: error, error } }) }
}

test('each listener hears each signal at once, in the order in which they came, until it stops', () => {
  const { transport: it } = transport()
  const heard: string[] = []
  const stopFirst = it.listen(() => heard.push('first'))
  it.listen(() => heard.push('second'))
  it.publish(signal)
  expect(heard).toEqual(['first', 'second'])
  stopFirst()
  stopFirst()
  it.publish(signal)
  expect(heard).toEqual(['first', 'second', 'second'])
})

test('E10: a listener that throws is logged and disturbs neither the publisher nor the others', () => {
  const { transport: it, lines } = transport()
  const heard: Signal[] = []
  const failure = new Error('broken')
  it.listen(() => {
    throw failure
  })
  it.listen((each) => heard.push(each))
  it.publish(signal)
  expect(heard).toEqual([signal])
  expect(lines).toEqual([{ err: failure, signal: 'grown' }])
})

test('the same function may listen twice, and a listener that has left in the meantime hears nothing', () => {
  const { transport: it } = transport()
  let calls = 0
  const listener = () => {
    calls++
  }
  const stop = it.listen(listener)
  it.listen(listener)
  it.publish(signal)
  expect([calls, it.listeners]).toEqual([2, 2])
  stop()
  it.listen(() => stopLast())
  const stopLast = it.listen(listener)
  it.publish(signal)
  expect([calls, it.listeners]).toEqual([3, 2])
})
