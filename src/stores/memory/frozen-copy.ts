/** A copy, frozen at every level, of a value that consists of plain objects, lists and primitives. */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T
  // `fromEntries` defines properties, so that a key `__proto__` stays a key.
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, field]) => [key, frozenCopy(field)]))) as T
}
