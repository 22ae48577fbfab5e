import { expect, test } from 'vitest'
import { mappedIterator } from './mapped-iterator.ts'

/** A source in the hands of a test, which never ends of itself. */
class Source implements AsyncIterator<number> {
  returned = 0
  readonly #waiting: PromiseWithResolvers<IteratorResult<number>>[] = []

  next(): Promise<IteratorResult<number>> {
    const waiting = Promise.withResolvers<IteratorResult<number>>()
    this.#waiting.push(waiting)
    return waiting.promise
  }

  async return(): Promise<IteratorResult<number>> {
    this.returned++
    for (const waiting of this.#waiting.splice(0)) waiting.resolve({ done: true, value: undefined })
    return { done: true, value: undefined }
  }

  say(value: number): void {
    this.#waiting.shift()?.resolve({ done: false, value })
  }

  fail(error: unknown): void {
    this.#waiting.shift()?.reject(error)
  }
}

const even = { map: (value: number) => (value % 2 === 0 ? `${value}` : undefined), failure: (error: unknown) => error }
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('it maps, and passes over what maps to nothing', async () => {
  const source = new Source()
  const next = mappedIterator(source, even).next()
  source.say(1)
  await turn()
  source.say(2)
  expect(await next).toEqual({ done: false, value: '2' })
})

test('A10: returning while a value is awaited returns from the source at once', async () => {
  const source = new Source()
  const iterator = mappedIterator(source, even)
  const next = iterator.next()
  expect(await iterator.return?.()).toEqual({ done: true, value: undefined })
  expect(source.returned).toBe(1)
  expect(await next).toEqual({ done: true, value: undefined })
})

test('A10: a mapping that throws returns from the source', async () => {
  const source = new Source()
  const refuse = () => {
    throw new Error('no longer')
  }
  const next = mappedIterator(source, { ...even, map: refuse }).next()
  source.say(2)
  await expect(next).rejects.toThrow('no longer')
  expect(source.returned).toBe(1)
})

test('A10: throwing into it returns from the source', async () => {
  const source = new Source()
  await expect(mappedIterator(source, even).throw?.(new Error('away'))).rejects.toThrow('away')
  expect(source.returned).toBe(1)
})

test('what the source rejects with is translated', async () => {
  const source = new Source()
  const next = mappedIterator(source, { ...even, failure: () => new Error('translated') }).next()
  source.fail(new Error('raw'))
  await expect(next).rejects.toThrow('translated')
})
