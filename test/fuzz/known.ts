import fc from 'fast-check'

type Damage =
  | { readonly kind: 'none' }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'grow'; readonly by: string }
  /** Takes it for a cursor, and puts another place into it. */
  | { readonly kind: 'replace'; readonly place: unknown }

const cursorNames = ['cursor', 'endCursor', 'startCursor']

/** Stands for a text that the server gave, as a field of this name, some time before. Chosen when the case is run. */
export class Known {
  readonly #names: readonly string[]
  readonly #pick: number
  readonly #damage: Damage

  constructor(names: readonly string[], pick: number, damage: Damage) {
    this.#names = names
    this.#pick = pick
    this.#damage = damage
  }

  in(pool: Pool): string {
    const texts = this.#names.flatMap((name) => pool.texts(name))
    return damaged(texts[this.#pick % Math.max(1, texts.length)] ?? 'default', this.#damage)
  }

  [fc.toStringMethod](): string {
    return `known(${JSON.stringify({ names: this.#names, pick: this.#pick, damage: this.#damage })})`
  }
}

/** Texts of the server by the names of the fields that had them. */
export class Pool {
  readonly #texts = new Map<string, Set<string>>()

  texts(name: string): readonly string[] {
    return [...(this.#texts.get(name) ?? [])]
  }

  /** Takes up every text in an answer. */
  add(value: unknown, name = ''): void {
    if (typeof value === 'string') {
      const texts = this.#texts.get(name) ?? new Set()
      this.#texts.set(name, texts.add(value))
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) this.add(inner, Array.isArray(value) ? name : key)
    }
  }
}

const places: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(-1, 0, 0.5, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 1e308, '', '9'.repeat(1500), null, [], {}, '00000000'),
  fc.record({ updatedAt: fc.constantFrom(0, -1, 2 ** 53 - 1), generationSequence: fc.constantFrom(0, 2 ** 31, 2 ** 53 - 1, 'x') }),
  fc.jsonValue({ maxDepth: 2 }),
)

const damages: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(60) }),
  fc.record({ kind: fc.constant('flip' as const), at: fc.nat(60), bit: fc.nat(7) }),
  fc.record({ kind: fc.constant('grow' as const), by: fc.constantFrom('=', 'A', '/', '\0', 'x'.repeat(10_000)) }),
  fc.record({ kind: fc.constant('replace' as const), place: places }),
)

/** What an argument of this name was called where the server gave it: `after` takes cursors, anything its own name. */
export const known = (name: string): fc.Arbitrary<Known> =>
  fc.nat(1000).map((pick) => new Known(namesFor(name), pick, { kind: 'none' }))

/** The same, changed on the way; and texts of other kinds, cursors among them. */
export const damagedKnown = (name: string): fc.Arbitrary<Known> =>
  fc
    .tuple(
      fc.constantFrom(namesFor(name), cursorNames, ['id']),
      fc.nat(1000),
      fc.oneof(damages, fc.constant({ kind: 'none' as const })),
    )
    .map(([names, pick, damage]) => new Known(names, pick, damage))

const namesFor = (name: string): readonly string[] => {
  if (name === 'after' || name === 'before') return cursorNames
  return name === 'ids' ? ['id'] : [name]
}

function damaged(text: string, damage: Damage): string {
  switch (damage.kind) {
    case 'none':
      return text
    case 'cut':
      return text.slice(0, damage.at % (text.length + 1))
    case 'flip': {
      const bytes = Buffer.from(text, 'latin1')
      const at = damage.at % Math.max(1, bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << damage.bit)
      return bytes.toString('latin1')
    }
    case 'grow':
      return text + damage.by
    case 'replace':
      return withPlace(text, damage.place)
  }
}

function withPlace(text: string, place: unknown): string {
  try {
    const cursor: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    const list: unknown = Array.isArray(cursor) ? cursor[0] : undefined
    return Buffer.from(JSON.stringify([list, place])).toString('base64url')
  } catch {
    return text
  }
}
