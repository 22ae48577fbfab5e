type Fields = ReadonlyMap<string, unknown>

/**
 * What a plain object holds, each property read once; what is undefined counts as absent. Undefined for everything else: for
 * instances of classes, for objects with accessors or symbols, and for proxies that throw. No accessor is called and nothing
 * inherited is read.
 */
export function plainFields(value: unknown): Fields | undefined {
  return withoutThrowing(() => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    const prototype: unknown = Reflect.getPrototypeOf(value)
    const isPlain = prototype === null || Reflect.getPrototypeOf(prototype as object) === null
    return isPlain ? propertiesOf(value, Reflect.ownKeys(value)) : undefined
  })
}

/** What a list holds, read in the same way; of one that is longer than `most`, one item more. Undefined for everything else. */
export function plainItems(value: unknown, most: number): readonly unknown[] | undefined {
  return withoutThrowing(() => {
    if (!Array.isArray(value)) return undefined
    const length = Math.min(Number(propertiesOf(value, ['length'])?.get('length')), most + 1)
    const places = Array.from({ length }, (_, index) => String(index))
    const items = propertiesOf(value, places)
    return items && places.map((place) => items.get(place))
  })
}

function propertiesOf(value: object, keys: readonly (string | symbol)[]): Fields | undefined {
  const fields = new Map<string, unknown>()
  for (const key of keys) {
    if (typeof key === 'symbol') return undefined
    const property = Reflect.getOwnPropertyDescriptor(value, key)
    if (property && !('value' in property)) return undefined
    const held: unknown = property?.value
    if (held !== undefined) fields.set(key, held)
  }
  return fields
}

/** A proxy may throw whatever it is asked. */
function withoutThrowing<T>(read: () => T | undefined): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
