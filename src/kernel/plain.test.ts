import { expect, test } from 'vitest'
import { plainFields, plainItems } from './plain.ts'

const fields = (value: unknown) => {
  const found = plainFields(value)
  return found && Object.fromEntries(found)
}

const throwing = (): never => {
  throw new Error('hands off')
}

class Point {
  readonly x = 1
}

test('what a plain object holds is read, and what is undefined is absent', () => {
  expect(fields({ a: 1, b: { c: 2 }, d: undefined })).toEqual({ a: 1, b: { c: 2 } })
  expect(fields(Object.assign(Object.create(null) as object, { a: 1 }))).toEqual({ a: 1 })
  expect(fields(JSON.parse('{"__proto__": 1, "constructor": 2}'))).toEqual(JSON.parse('{"__proto__": 1, "constructor": 2}'))
})

test('what is inherited is not read, and what has a class is nothing', () => {
  expect(fields(Object.create({ a: 1 }))).toBeUndefined()
  const polluted = Object.create(Object.assign(Object.create(null) as object, { a: 1 })) as object
  expect(fields(polluted)).toEqual({})
  for (const value of [new Point(), new Map(), [], null, undefined, 'text', 7, () => 1]) expect(fields(value)).toBeUndefined()
})

test('G102: no accessor is called, and symbols are no fields', () => {
  expect(fields({ get a() { return throwing() } })).toBeUndefined()
  expect(fields({ set a(_: unknown) { throwing() } })).toBeUndefined()
  expect(fields({ [Symbol('a')]: 1 })).toBeUndefined()
})

test('G102: a proxy is read once for each property, and may throw', () => {
  const asked: string[] = []
  const spy = new Proxy({ a: 1, b: 2 }, {
    getOwnPropertyDescriptor: (target, key) => {
      asked.push(String(key))
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
    get: throwing,
  })
  expect(fields(spy)).toEqual({ a: 1, b: 2 })
  expect(asked).toEqual(['a', 'b'])
  expect(fields(new Proxy({}, { ownKeys: throwing }))).toBeUndefined()
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  expect(fields(proxy)).toBeUndefined()
})

test('what a list holds is read up to one more than wanted', () => {
  expect(plainItems([1, 'a', undefined], 9)).toEqual([1, 'a', undefined])
  expect(plainItems([1, 2, 3, 4], 2)).toEqual([1, 2, 3])
  expect(plainItems([], 2)).toEqual([])
  expect(plainItems(Array(4_000_000_000), 2)).toEqual([undefined, undefined, undefined])
})

test('no other thing is a list', () => {
  const getter: unknown[] = [1]
  Object.defineProperty(getter, 0, { get: throwing })
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  const untold = new Proxy([1], { getOwnPropertyDescriptor: throwing })
  for (const value of [{ length: 1, 0: 1 }, 'text', new Set(), getter, proxy, untold]) {
    expect(plainItems(value, 2)).toBeUndefined()
  }
})
