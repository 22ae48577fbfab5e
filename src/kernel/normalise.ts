import type { Json } from './json.ts'
import { type NormalShape, shapeOf } from './normal-shape.ts'
import { splitWhole, storable, utf8Length } from './text.ts'

export interface NormalLimits {
  /** Lists and objects within each other. */
  readonly depth: number
  /** Elements and properties of all lists and objects together, with those that were looked at and left out. */
  readonly items: number
  /** Of the JSON text in UTF-8; at least 256. */
  readonly bytes: number
}

export interface Normalised {
  readonly value: Json
  /** Something was left out because of a limit. A marker stands in its place. */
  readonly isCut: boolean
}

const defaultLimits: NormalLimits = { depth: 32, items: 10_000, bytes: 256 * 1024 }

/**
 * Any value as JSON that every store can keep, within limits, with visible markers in place of what does not fit. Never
 * throws. Takes a number of steps that the limits bound, whatever the value; what code of the value does when it is read
 * (getters, `toJSON`, proxies) is its own affair, and what that throws becomes a marker.
 *
 * As `JSON.stringify`, but: errors are their name and message, maps lists of pairs, sets lists, bytes base64; what JSON
 * has no word for is named by a text, properties that are undefined are left out.
 */
export function normalise(value: unknown, limits: NormalLimits = defaultLimits): Normalised {
  const walk = new Walk(limits)
  const normal = walk.normal(value)
  return { value: normal, isCut: walk.isCut }
}

/**
 * At least as long as the JSON of any number, and of any marker with what joins it to its list or object. Three of them are
 * room for another element or property: its name, its value, and some to spare.
 */
const MARKER_BYTES = 80
const ROOM_BYTES = 3 * MARKER_BYTES

type Shape<K extends NormalShape['kind']> = Extract<NormalShape, { readonly kind: K }>

const UNREADABLE = '[unreadable]'

/**
 * What is left of the limits. Invariant: `normal` is called with room for a marker, and takes no more bytes than there
 * are; a list or object sets aside what its own marker takes before it reads on.
 */
class Walk {
  isCut = false
  readonly #limits: NormalLimits
  #items: number
  #bytes: number
  /** The lists and objects that the current value is in. */
  readonly #around = new Set<object>()

  constructor(limits: NormalLimits) {
    this.#limits = limits
    this.#items = limits.items
    this.#bytes = limits.bytes
  }

  normal(value: unknown): Json {
    const shape = attempt<NormalShape>(() => shapeOf(value, this.#bytes), { kind: 'text', text: UNREADABLE })
    switch (shape.kind) {
      case 'scalar':
        this.#bytes -= String(shape.value).length
        return shape.value
      case 'text':
        return this.#text(shape.text, this.#bytes)
      case 'lost':
        return this.#lost(shape.text)
      case 'list':
      case 'record':
        return this.#container(shape)
    }
  }

  #container(shape: Shape<'list' | 'record'>): Json {
    if (this.#around.has(shape.of)) return this.#text('[cycle]', this.#bytes)
    if (this.#around.size >= this.#limits.depth) return this.#lost('[cut: nested too deeply]')
    if (!this.#hasRoom) return this.#lost('[cut]')
    this.#around.add(shape.of)
    this.#items -= 1
    this.#bytes -= MARKER_BYTES
    const { normal, isWhole } = shape.kind === 'list' ? this.#list(shape) : this.#record(shape)
    this.#around.delete(shape.of)
    if (isWhole) {
      this.#items += 1
      this.#bytes += MARKER_BYTES - '[]'.length
    } else this.isCut = true
    return normal
  }

  #list({ length, at }: Shape<'list'>): { readonly normal: Json; readonly isWhole: boolean } {
    const list: Json[] = []
    for (let index = 0; index < length; index++) {
      if (!this.#hasRoom) return { normal: [...list, `[cut: ${length - index} more]`], isWhole: false }
      this.#items -= 1
      this.#bytes -= ','.length
      list.push(this.normal(attempt(() => at(index), UNREADABLE)))
    }
    return { normal: list, isWhole: true }
  }

  #record({ keys, read }: Shape<'record'>): { readonly normal: Json; readonly isWhole: boolean } {
    const names = attempt(keys, undefined)
    if (!names) return { normal: this.#text(UNREADABLE, this.#bytes), isWhole: true }
    const fields = new Map<string, Json>()
    const free = freeNames(fields)
    for (const key of names) {
      if (!this.#hasRoom) {
        fields.set(free('[cut]'), 'more was left out')
        return { normal: Object.fromEntries(fields), isWhole: false }
      }
      this.#items -= 1
      if (typeof key === 'symbol') continue
      const value = attempt(() => read(key), UNREADABLE)
      if (value === undefined) continue
      const name = this.#text(key, this.#bytes - 2 * MARKER_BYTES)
      const freeName = free(name)
      this.#bytes -= ':,'.length + freeName.length - name.length
      fields.set(freeName, this.normal(value))
    }
    return { normal: Object.fromEntries(fields), isWhole: true }
  }

  get #hasRoom(): boolean {
    return this.#items > 0 && this.#bytes >= ROOM_BYTES
  }

  #lost(marker: string): string {
    this.isCut = true
    return this.#text(marker, this.#bytes)
  }

  /** The text as far as its JSON fits into `room`. Looks at no more of it than that. */
  #text(text: string, room: number): string {
    const head = text.length > room ? splitWhole(text.slice(0, room))[0] : text
    const clean = storable(head)
    const [end, size] = fitting(clean, room - QUOTES)
    if (head === text && end === clean.length) {
      this.#bytes -= QUOTES + size
      return clean
    }
    this.isCut = true
    const marker = `… [cut: ${text.length} characters in all]`
    const [cutEnd, cutSize] = fitting(clean, room - QUOTES - utf8Length(marker))
    this.#bytes -= QUOTES + cutSize + utf8Length(marker)
    // A copy: a slice would keep the whole text in memory.
    return Buffer.from(clean.slice(0, cutEnd) + marker).toString()
  }
}

const QUOTES = '""'.length

/** The end of the longest prefix of whole code points whose JSON has at most `room` bytes, and how many it has. */
function fitting(text: string, room: number): readonly [end: number, bytes: number] {
  let bytes = 0
  let end = 0
  for (let code = text.codePointAt(0); code !== undefined; code = text.codePointAt(end)) {
    const more = escapedLength(code)
    if (bytes + more > room) break
    bytes += more
    end += code > LAST_SHORT ? 2 : 1
  }
  return [end, bytes]
}

const LAST_SHORT = 0xffff
const SHORT_ESCAPES = new Set(Array.from('\b\t\n\f\r"\\', (character) => character.charCodeAt(0)))

/** Bytes of a code point within a string of JSON. */
function escapedLength(code: number): number {
  if (SHORT_ESCAPES.has(code)) return '\\n'.length
  if (code < 0x20) return '\\u0000'.length
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code > LAST_SHORT ? 4 : 3
}

/** The same name, or with a number behind it when it is taken. Numbers only grow, so that all names take linear time. */
function freeNames(taken: ReadonlyMap<string, unknown>): (name: string) => string {
  let number = 2
  return (name) => {
    let free = name
    while (taken.has(free)) free = `${name} (${number++})`
    return free
  }
}

function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
