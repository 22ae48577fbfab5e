import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText } from '../../test/support/any-text.ts'
import type { Json } from './json.ts'
import { type NormalLimits, normalise } from './normalise.ts'

const utf8 = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const parsed = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const whole = (value: unknown): Json => {
  const { value: normal, isCut } = normalise(value)
  expect(isCut).toBe(false)
  return normal
}
const cut = (value: unknown, limits?: NormalLimits): Json => {
  const { value: normal, isCut } = normalise(value, limits)
  expect(isCut).toBe(true)
  return normal
}

const limits = (some: Partial<NormalLimits>): NormalLimits => ({ depth: 32, items: 10_000, bytes: 262_144, ...some })

const depthOf = (value: Json): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

const itemsOf = (value: Json): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((items, inner) => items + 1 + itemsOf(inner), 0)
    : 0

const throwing = (): never => {
  throw new Error('hands off')
}

/** An object all of whose traps throw. */
const untouchable = () =>
  new Proxy({}, new Proxy({}, { get: () => throwing }))

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

describe('K20: what is JSON stays as it is', () => {
  test.each([null, true, false, 0, -1.5, 1e300, '', 'text', [], {}, [1, [2, [3]]], { a: { b: [null, 'c'] } }])('%j', (value) => {
    expect(whole(value)).toEqual(value)
  })

  test('K20: whatever the JSON, within the limits', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const text = JSON.stringify(value)
        fc.pre(!text.includes('\\u0000') && text.isWellFormed() && !/\\ud[89a-f]/.test(text))
        expect(whole(JSON.parse(text))).toEqual(JSON.parse(text))
      }),
    )
  })
})

describe('K20: what is no JSON becomes JSON', () => {
  class Point {
    readonly x = 1
    readonly #y = 2
    get sum() {
      return this.x + this.#y
    }
  }
  const date = new Date(0)
  const self: Record<string, unknown> = { a: 1, toJSON: () => self }
  const bytes = Buffer.from('bytes')
  const packed = { type: 'bytes', length: 5, base64: 'Ynl0ZXM=' }
  const shared = new SharedArrayBuffer(2)

  test.each<readonly [string, unknown, unknown]>([
    ['undefined', undefined, null],
    ['undefined in a list', [undefined, 1], [null, 1]],
    ['an undefined property', { a: undefined, b: 1 }, { b: 1 }],
    ['NaN', NaN, 'NaN'],
    ['infinity', [Infinity, -Infinity], ['Infinity', '-Infinity']],
    ['a negative zero', -0, 0],
    ['a BigInt', -12345678901234567890n, '-12345678901234567890'],
    ['a symbol', Symbol('name'), 'Symbol(name)'],
    ['a function', { call: throwing }, { call: '[function]' }],
    ['a class', Point, '[function]'],
    ['an instance', new Point(), { x: 1 }],
    ['a date', date, '1970-01-01T00:00:00.000Z'],
    ['an invalid date', new Date(NaN), null],
    ['an error', new TypeError('wrong'), { name: 'TypeError', message: 'wrong' }],
    ['an error that shows its stack', Object.assign(new Error('wrong'), { toJSON: () => 'at home/me' }), { name: 'Error', message: 'wrong' }],
    ['an error whose name throws', Object.defineProperty(new Error('x'), 'name', { get: throwing }), { name: '[unreadable]', message: 'x' }],
    ['a buffer', bytes, packed],
    ['bytes', new Uint8Array(bytes), packed],
    ['clamped bytes', new Uint8ClampedArray(bytes), packed],
    ['a view', new DataView(bytes.buffer, bytes.byteOffset, bytes.length), packed],
    ['an array buffer', new Uint8Array(bytes).buffer, packed],
    ['a shared array buffer', shared, { type: 'bytes', length: 2, base64: 'AAA=' }],
    ['numbers', new Float32Array([1.5, NaN]), [1.5, 'NaN']],
    ['large numbers', new BigInt64Array([-1n]), ['-1']],
    ['a map', new Map<unknown, unknown>([['a', 1], [{ b: 2 }, [3]]]), [['a', 1], [{ b: 2 }, [3]]]],
    ['a set', new Set([1, 'a', {}]), [1, 'a', {}]],
    ['a regular expression', /a+\/b/gi, '/a+\\/b/gi'],
    ['a URL', new URL('http://a.example/?b#c'), 'http://a.example/?b#c'],
    ['a promise', Promise.resolve(1), '[promise]'],
    ['a weak map', new WeakMap(), {}],
    ['boxes', [Object('a'), Object(1), Object(false), Object(2n), Object(Symbol('s'))], ['a', 1, false, '2', 'Symbol(s)']],
    ['an object without prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['a hidden property', Object.defineProperty({ a: 1 }, 'b', { value: 2 }), { a: 1 }],
    ['a property named by a symbol', { [Symbol('b')]: 1, a: 2 }, { a: 2 }],
    ['a getter', { get a() { return [1] } }, { a: [1] }],
    ['a getter that throws', { get a() { return throwing() }, b: 1 }, { a: '[unreadable]', b: 1 }],
    ['toJSON', { toJSON: (key: unknown) => ({ key }) }, { key: '' }],
    ['toJSON that gives a primitive', { toJSON: () => undefined }, null],
    ['toJSON that gives bytes', { toJSON: () => bytes }, packed],
    ['toJSON that throws', [{ toJSON: throwing }, 1], ['[unreadable]', 1]],
    ['toJSON that gives itself', self, { a: 1, toJSON: '[function]' }],
    ['toJSON that is none', { toJSON: 1 }, { toJSON: 1 }],
    ['a list with holes', Object.assign([], { 0: 1, 2: 3 }), [1, null, 3]],
    ['a false map', Object.create(Map.prototype), '[unreadable]'],
    ['what cannot be touched', [untouchable(), 1], ['[unreadable]', 1]],
    ['what was revoked', [revoked({}), revoked([])], ['[unreadable]', '[unreadable]']],
    ['keys that cannot be read', { a: new Proxy({}, { ownKeys: throwing }) }, { a: '[unreadable]' }],
    ['elements that cannot be read', new Proxy([1, 2], { get: (of, key) => (key === '1' ? throwing() : (Reflect.get(of, key) as unknown)) }), [1, '[unreadable]']],
    ['a length that is none', new Proxy([], { get: (_, key) => (key === 'length' ? 'long' : undefined) }), []],
  ])('K20: %s', (_, value, normal) => {
    expect(parsed(whole(value))).toEqual(normal)
  })
})

describe('K21: names stay what they are', () => {
  test('K21: __proto__, constructor and prototype are data', () => {
    const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},"toString":3}'
    expect(JSON.stringify(whole(JSON.parse(text)))).toBe(text)
    expect('polluted' in {}).toBe(false)
  })

  test('K21: names that become the same stay apart, however many', () => {
    expect(whole({ '\0': 1, '\uFFFD': 2, '\uD800': 3, '\uFFFD (2)': 4 })).toEqual({
      '\uFFFD': 1, '\uFFFD (2)': 2, '\uFFFD (3)': 3, '\uFFFD (2) (4)': 4,
    })
    const names = Array.from({ length: 4096 }, (__, at) => at.toString(2).padStart(12, '0').replaceAll('0', '\0').replaceAll('1', '\uFFFD'))
    const normal = whole(Object.fromEntries(names.map((name, at) => [name, at])))
    expect(Object.values(normal as object)).toEqual(names.map((__, at) => at))
  })
})

test('K4: texts and names can be stored: no NUL, no lone surrogate', () => {
  expect(whole({ 'a\0': ['\uD800x', '😀', '\0'] })).toEqual({ 'a\uFFFD': ['\uFFFDx', '😀', '\uFFFD'] })
})

describe('K22: what is too much is cut, and says so', () => {
  test('K22: a cycle is none of it', () => {
    const round: Record<string, unknown> = { a: [1] }
    round['self'] = round
    round['pair'] = new Map([[1, round]])
    expect(whole(round)).toEqual({ a: [1], self: '[cycle]', pair: [[1, '[cycle]']] })
  })

  test('K22: the same object twice is no cycle', () => {
    const twice = { a: 1 }
    expect(whole([twice, twice])).toEqual([{ a: 1 }, { a: 1 }])
  })

  test('K22: depth', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])
    expect(whole(nested(32))).toEqual(nested(32))
    expect(JSON.stringify(cut(nested(33)))).toBe(`${'['.repeat(32)}"[cut: nested too deeply]"${']'.repeat(32)}`)
    const endless = (): object => ({
      get next() {
        return endless()
      },
    })
    expect(depthOf(cut(endless()))).toBe(32)
  })

  test('K22: items of lists, maps, sets and objects', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => at)
    const list = cut(many) as readonly Json[]
    expect(list).toHaveLength(10_000)
    expect(list.at(-1)).toBe('[cut: 10001 more]')
    expect((cut(new Set(many)) as readonly Json[]).at(-1)).toBe('[cut: 10001 more]')
    expect((cut(new Map(many.map((it) => [it, it]))) as readonly Json[]).at(-1)).toMatch(/^\[cut: \d+ more\]$/)
    const object = cut(Object.fromEntries(many.map((it) => [`k${it}`, it]))) as { readonly [key: string]: Json }
    expect(Object.keys(object)).toHaveLength(10_000)
    expect(object['[cut]']).toBe('more was left out')
    expect(cut({ '[cut]': 1, b: 2 }, limits({ items: 2 }))).toEqual({ '[cut]': 1, '[cut] (2)': 'more was left out' })
    expect(cut([[1]], limits({ items: 2 }))).toEqual(['[cut]'])
    expect(cut([], limits({ items: 0 }))).toBe('[cut]')
  })

  test('K22: a text, at a code point', () => {
    const text = '😀'.repeat(100_000)
    const normal = cut(text)
    expect(normal).toMatch(/^(?:😀)+… \[cut: 200000 characters in all\]$/u)
    expect(utf8(normal)).toBeGreaterThan(262_144 - 5)
    expect(utf8(normal)).toBeLessThanOrEqual(262_144)
    expect(cut(`${'a'.repeat(261)}😀`, limits({ bytes: 264 }))).toBe(`${'a'.repeat(230)}… [cut: 263 characters in all]`)
  })

  test('K22: what JSON escapes counts as it is written', () => {
    const marks = '"\\\n\u0001é'
    for (const repeats of [1, 17, 18, 19, 20, 1_000]) {
      const { value, isCut } = normalise(marks.repeat(repeats), limits({ bytes: 256 }))
      expect(utf8(value)).toBeLessThanOrEqual(256)
      expect(isCut).toBe(utf8(marks.repeat(repeats)) > 256)
    }
  })

  test('K22: a name', () => {
    const [name = '', ...others] = Object.keys(cut({ ['n'.repeat(1_000_000)]: 1, b: 2 }) as object)
    expect(name).toMatch(/^n+… \[cut: 1000000 characters in all\]$/)
    expect(others).toEqual(['[cut]'])
    for (const length of [300, 400, 419, 420, 421, 500, 5_000]) {
      const normal = cut({ ['n'.repeat(length)]: ['v'.repeat(500)], b: 2 }, limits({ bytes: 500 }))
      expect(utf8(normal)).toBeLessThanOrEqual(500)
    }
  })

  test('K22: bytes and numbers', () => {
    const { length, base64 } = cut(Buffer.alloc(1_000_000)) as { readonly [key: string]: Json }
    expect(length).toBe(1_000_000)
    expect(base64).toMatch(/^A+… \[cut: \d+ characters in all\]$/)
    expect(cut([1n << 5_000n, -1n << 5_000n])).toEqual(Array(2).fill('[cut: a whole number of more than 4096 bits]'))
  })

  test('K22: what comes behind a long text is told to be missing', () => {
    expect(Object.keys(cut({ long: 'x'.repeat(300_000), more: 1 }) as object)).toEqual(['long', '[cut]'])
    expect((cut(['x'.repeat(300_000), 1, 2]) as readonly Json[])[1]).toBe('[cut: 2 more]')
  })
})

describe('K22: the steps are bounded, whatever the value', () => {
  /** A proxy around a value that counts how often it is touched. */
  function counting<T extends object>(target: T, traps: ProxyHandler<T> = {}) {
    const seen = { steps: 0 }
    const handler = new Proxy(traps, {
      get: (own, trap) => {
        seen.steps++
        return Reflect.get(own, trap) as unknown
      },
    })
    return { value: new Proxy(target, handler), seen }
  }

  test('K22: a list of four thousand million holes', () => {
    const list: unknown[] = []
    list.length = 4_000_000_000
    const { value, seen } = counting(list)
    expect((cut(value) as readonly Json[]).at(-1)).toBe('[cut: 3999990001 more]')
    expect(seen.steps).toBeLessThan(11_000)
  })

  test('K22: a list that claims to be endless', () => {
    const { value, seen } = counting([], { get: (_, key) => (key === 'length' ? Infinity : undefined) })
    expect((cut(value) as readonly Json[]).at(-1)).toMatch(/^\[cut: \d{16} more\]$/)
    expect(seen.steps).toBeLessThan(11_000)
  })

  test('K22: an object with hundreds of thousands of names, and one whose names all are left out', () => {
    const wide = Object.fromEntries(Array.from({ length: 300_000 }, (_, at) => [`k${at}`, undefined]))
    for (const target of [wide, Object.fromEntries(Object.keys(wide).map((key) => [key, 1]))]) {
      const { value, seen } = counting(target)
      cut(value)
      expect(seen.steps).toBeLessThan(21_000)
    }
  })

  test('K22: large things that are met again and again', () => {
    let steps = 0
    const counted = () => {
      steps++
      return 'x'
    }
    const wide = {}
    for (let at = 0; at < 5_000; at++) Object.defineProperty(wide, `k${at}`, { get: counted, enumerable: true })
    cut(Array.from({ length: 5_000 }, () => [wide, new Map([[1, wide]])]))
    expect(steps).toBeLessThanOrEqual(10_000)
  })

  test('K22: a map that holds itself five thousand times', () => {
    const { value, seen } = counting({}, {})
    const map = new Map<unknown, unknown>([[0, value]])
    for (let at = 1; at < 5_000; at++) map.set(at, map)
    cut(map)
    expect(seen.steps).toBeLessThan(50)
  })
})

type Make = () => unknown

/** Makes values that nobody should ever return. */
const hostile = fc.letrec<{ value: Make; list: readonly Make[] }>((tie) => ({
  list: fc.array(tie('value'), { maxLength: 8 }),
  value: fc.oneof(
    { maxDepth: 6 },
    fc.oneof(
      anyText,
      fc.string({ unit: 'binary', maxLength: 2_000 }),
      fc.anything({
        withBigInt: true,
        withBoxedValues: true,
        withDate: true,
        withMap: true,
        withNullPrototype: true,
        withObjectString: true,
        withSet: true,
        withSparseArray: true,
        withTypedArray: true,
      }),
      fc.constantFrom<unknown>(throwing, Symbol('s'), NaN, new Date(NaN), /x/, Promise.resolve(), new Error('\0'), 10n ** 5_000n),
    ).map((value) => () => value),
    fc.constantFrom<Make>(untouchable, () => revoked([]), () => revoked(throwing)),
    tie('list').map((it) => () => it.map((make) => make())),
    tie('list').map((it) => () => new Set(it.map((make) => make()))),
    tie('list').map((it) => () => new Map(it.map((make, at) => [at % 2 === 0 ? make() : at, make()]))),
    tie('value').map((make) => () => ({ toJSON: make })),
    fc.tuple(fc.oneof(anyText, fc.string({ minLength: 200, maxLength: 5_000 })), tie('value')).map(([key, make]) => () => ({
      get [key]() {
        return make()
      },
      get other() {
        return throwing()
      },
      ['__proto__']: make(),
    })),
    tie('list').map((it) => () => {
      const own: unknown[] = it.map((make) => make())
      own.push(own, { own })
      return own
    }),
  ),
})).value

const anyLimits = fc.record({
  depth: fc.integer({ min: 0, max: 40 }),
  items: fc.integer({ min: 0, max: 200 }),
  bytes: fc.integer({ min: 256, max: 4_000 }),
})

test('K20, K22: whatever the value, the result is JSON that survives its text, can be stored, and keeps within every limit', () => {
  fc.assert(
    fc.property(hostile, anyLimits, (make, most) => {
      const { value: normal, isCut } = normalise(make(), most)
      expect(parsed(normal)).toEqual(normal)
      const text = JSON.stringify(normal)
      expect(text).not.toMatch(/\\u0000|\\ud[89a-f]/)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(most.bytes)
      expect(depthOf(normal)).toBeLessThanOrEqual(most.depth)
      expect(itemsOf(normal)).toBeLessThanOrEqual(most.items)
      expect(isCut).toBe(text.includes('[cut'))
    }),
    { numRuns: 2_000 },
  )
})
