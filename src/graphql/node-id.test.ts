import fc from 'fast-check'
import { expect, test } from 'vitest'
import { idRule } from '../domain/input-rules.ts'
import { type NodeAddress, nodeId, parseNodeId } from './node-id.ts'

const id = fc.string({ unit: 'binary', minLength: 1, maxLength: 120 }).filter((text) => idRule(text) === undefined)
const type = fc.constantFrom('Session', 'Run', 'Message', 'QueueEntry')
const address = fc.oneof(
  fc.record({ type: fc.constant('Scope'), scopeId: id }),
  fc.record({ type, scopeId: id, id }),
) as fc.Arbitrary<NodeAddress>

test('A2: a global id is ASCII and names exactly what it was made for', () => {
  fc.assert(
    fc.property(address, (it) => {
      expect(nodeId(it)).toMatch(/^[\x21-\x7e]+$/)
      expect(parseNodeId(nodeId(it))).toEqual(it)
    }),
  )
})

test('A2: whatever else is given as a global id names nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const it = parseNodeId(text)
      expect(it === undefined || nodeId(it) === text).toBe(true)
    }),
  )
})

test.each([
  ['Session:default/abc', { type: 'Session', scopeId: 'default', id: 'abc' }],
  ['Scope:default', { type: 'Scope', scopeId: 'default' }],
  ['Session:a%2Fb/c%3Ad', { type: 'Session', scopeId: 'a/b', id: 'c:d' }],
])('A2: %s is readable', (text, it) => {
  expect(parseNodeId(text)).toEqual(it)
})

test.each([
  ['nothing', ''],
  ['no type', 'default/abc'],
  ['an unknown type', 'Tool:default/abc'],
  ['a type of JavaScript', 'constructor:default/abc'],
  ['no scope', 'Session:/abc'],
  ['no own id', 'Session:default/'],
  ['half an address', 'Session:default'],
  ['more than an address', 'Session:default/abc/def'],
  ['a scope with an own id', 'Scope:default/abc'],
  ['a broken escape', 'Session:default/%zz'],
  ['a control character', 'Session:default/%00'],
  ['an escape that is not needed', 'Session:default/%61bc'],
  ['lower-case hexadecimal', 'Session:a%2fb/c'],
  ['a lone surrogate', 'Session:default/\ud800'],
  ['an id of 10 kB', `Session:default/${'x'.repeat(10_000)}`],
  ['base64 of another server', 'U2Vzc2lvbjox'],
])('A2: %s names nothing', (_what, text) => {
  expect(parseNodeId(text)).toBeUndefined()
})
