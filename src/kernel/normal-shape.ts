/**
 * What a value is for JSON. `text` is cut where it does not fit; `lost` is a text in place of something that was left out.
 * What lists and records hold is read one by one, and each reading may throw: of a list in order, of a record by its keys,
 * where undefined is left out.
 */
export type NormalShape =
  | { readonly kind: 'scalar'; readonly value: null | boolean | number }
  | { readonly kind: 'text' | 'lost'; readonly text: string }
  | { readonly kind: 'list'; readonly of: object; readonly length: number; readonly at: (index: number) => unknown }
  | {
      readonly kind: 'record'
      readonly of: object
      readonly keys: () => readonly (string | symbol)[]
      readonly read: (key: string) => unknown
    }

/** Larger whole numbers take long to write down. */
const MOST_BITS = 4096n
const TOO_LARGE = 2n ** MOST_BITS

const text = (content: string): NormalShape => ({ kind: 'text', text: content })

/**
 * Looks at a value without reading what it holds; of raw bytes, no more than `mostBytes` are read later. Runs code of the
 * value, such as `toJSON` or a proxy's traps, and throws what that throws.
 */
export function shapeOf(value: unknown, mostBytes: number): NormalShape {
  if (typeof value !== 'object' || value === null) return primitiveShape(value)
  const opaque = opaqueShape(value, mostBytes)
  if (opaque) return opaque
  const made = withToJson(value) ? value.toJSON('') : value
  if (typeof made !== 'object' || made === null) return primitiveShape(made)
  return opaqueShape(made, mostBytes) ?? builtInShape(made) ?? objectShape(made)
}

const withToJson = (value: object): value is { readonly toJSON: (key: string) => unknown } =>
  'toJSON' in value && typeof value.toJSON === 'function'

/** What says too much of itself: errors have stacks, and some have a `toJSON` that shows them; bytes become numbers. */
const opaqueShape = (value: object, mostBytes: number): NormalShape | undefined =>
  value instanceof Error
    ? recordShape(value, {
        get name() {
          return value.name
        },
        get message() {
          return value.message
        },
      })
    : bytesShape(value, mostBytes)

function primitiveShape(value: unknown): NormalShape {
  switch (typeof value) {
    case 'string':
      return text(value)
    case 'number': // There is one zero in JSON.
      return Number.isFinite(value) ? { kind: 'scalar', value: value === 0 ? 0 : value } : text(String(value))
    case 'boolean':
      return { kind: 'scalar', value }
    case 'bigint':
      if (value < TOO_LARGE && value > -TOO_LARGE) return text(String(value))
      return { kind: 'lost', text: `[cut: a whole number of more than ${MOST_BITS} bits]` }
    case 'symbol':
      return text(String(value))
    case 'function':
      return text('[function]')
    default:
      return { kind: 'scalar', value: null }
  }
}

/** Base64; of many bytes no more are encoded than what certainly does not fit. */
function bytesShape(value: object, mostBytes: number): NormalShape | undefined {
  const bytes = rawBytes(value)
  if (!bytes) return undefined
  return recordShape(value, {
    type: 'bytes',
    length: bytes.length,
    get base64() {
      return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, mostBytes)).toString('base64')
    },
  })
}

function rawBytes(value: object): Uint8Array | undefined {
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Uint8Array(value)
  const isRaw = value instanceof Uint8Array || value instanceof Uint8ClampedArray || value instanceof DataView
  return isRaw ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : undefined
}

function builtInShape(value: object): NormalShape | undefined {
  if (Array.isArray(value)) return listShape(value, value.length, (index) => value[index] as unknown)
  if (ArrayBuffer.isView(value)) {
    const numbers = value as Float64Array // Or of another kind; raw bytes came before.
    return listShape(value, numbers.length, (index) => numbers[index])
  }
  if (value instanceof Map) return membersShape(value, Map.prototype)
  if (value instanceof Set) return membersShape(value, Set.prototype)
  if (value instanceof RegExp) return text(RegExp.prototype.toString.call(value))
  if (value instanceof Promise) return text('[promise]')
  const box = BOXES.find((type) => value instanceof type)
  return box && primitiveShape(Reflect.apply(box.prototype.valueOf, value, []))
}

const BOXES = [String, Number, Boolean, BigInt, Symbol]

/** Of maps and sets, by their native methods, whatever a subclass makes of those. */
function membersShape(value: object, native: Map<unknown, unknown> | Set<unknown>): NormalShape {
  const members = Reflect.apply(native[Symbol.iterator], value, [])
  return listShape(value, Reflect.get(native, 'size', value), () => members.next().value)
}

/** Own properties that can be seen. */
const objectShape = (value: object): NormalShape => ({
  kind: 'record',
  of: value,
  keys: () => Reflect.ownKeys(value),
  read: (key) => (isEnumerable(value, key) ? (Reflect.get(value, key) as unknown) : undefined),
})

const isEnumerable = (value: object, key: string): boolean =>
  Reflect.getOwnPropertyDescriptor(value, key)?.enumerable === true

/** What is shown in place of an object. */
const recordShape = (of: object, shown: object): NormalShape => ({
  kind: 'record',
  of,
  keys: () => Object.keys(shown),
  read: (key) => Reflect.get(shown, key) as unknown,
})

/** A proxy may claim any length. */
const listShape = (of: object, length: unknown, at: (index: number) => unknown): NormalShape => ({
  kind: 'list',
  of,
  length: typeof length === 'number' && length > 0 ? Math.min(Math.trunc(length), Number.MAX_SAFE_INTEGER) : 0,
  at,
})
