import { expect, test } from 'vitest'
import { OperationNames } from './operation-names.ts'

const subscribe = (id: unknown): string => JSON.stringify({ id, type: 'subscribe', payload: { query: '{ a }' } })
const complete = (id: string): string => JSON.stringify({ id, type: 'complete' })
const next = (id: unknown): string => JSON.stringify({ id, type: 'next', payload: { data: { id } } })

/** What the library calls the operation that a message begins. */
function begun(names: OperationNames, id: string): string {
  const incoming = names.read(subscribe(id))
  if (incoming.kind !== 'message' || incoming.operation === undefined)
    throw new Error(`It begins nothing: ${incoming.kind}`)
  expect(JSON.parse(incoming.text)).toEqual({ id: incoming.operation, type: 'subscribe', payload: { query: '{ a }' } })
  return incoming.operation
}

test('V72: an id that was completed names another operation at once, and both end on their own', () => {
  const names = new OperationNames()
  const first = begun(names, 'x')
  expect(names.read(complete('x'))).toEqual({ kind: 'message', text: complete(first) })
  const second = begun(names, 'x')
  expect(second).not.toBe(first)
  expect(names.size).toBe(2)
  names.end(first)
  expect(names.read(subscribe('x'))).toEqual({ kind: 'taken' })
  names.end(second)
  expect(names.size).toBe(0)
  begun(names, 'x')
})

test.each(['x', '"', '\\', '__proto__', '1', '\ud83d'])('the client gets its own id %j back', (id) => {
  const names = new OperationNames()
  begun(names, 'other')
  const operation = begun(names, id)
  expect(JSON.parse(names.written(next(operation)))).toEqual({ id, type: 'next', payload: { data: { id: operation } } })
})

test('V72: an id of the library means nothing when a client says it', () => {
  const names = new OperationNames()
  const operation = begun(names, 'x')
  expect(names.read(complete(operation))).not.toEqual({ kind: 'message', text: complete(operation) })
})

test('what only servers say is invalid; the library looks at everything else', () => {
  const names = new OperationNames()
  expect(names.read(next('1'))).toEqual({ kind: 'invalid' })
  for (const text of ['{', '7', 'null', '[]', '{"type":"ping"}', subscribe(7), subscribe('')]) {
    expect(names.read(text)).toEqual({ kind: 'message', text })
  }
  expect(names.written('{"type":"pong"}')).toBe('{"type":"pong"}')
  expect(names.size).toBe(0)
})
