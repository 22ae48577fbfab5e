import { execute, type GraphQLFormattedError, parse, subscribe, validate } from 'graphql'
import type { Principal } from '../../src/domain/access/principal.ts'
import { createContext, type GraphQLContext } from '../../src/graphql/context.ts'
import { errorMask } from '../../src/graphql/errors.ts'
import { schema } from '../../src/graphql/schema.ts'
import type { Harness } from '../../src/runtime/harness.ts'
import { tester } from '../support/world.ts'

type Variables = Readonly<Record<string, unknown>>
/** Whatever JSON an operation gave. Tests look into it by path. */
export type Data = Record<string, unknown>

export interface Result {
  readonly data: Data | null
  readonly errors: readonly GraphQLFormattedError[]
}

/** The API as a client sees it, without sockets. What it answers has been JSON. */
export class Api {
  /** What went into the log because of faults. */
  readonly faults: Readonly<Record<string, unknown>>[] = []
  readonly #harness: Harness
  readonly #principal: Principal
  readonly #mask: ReturnType<typeof errorMask>
  #references = 0

  constructor(harness: Harness, principal = tester) {
    this.#harness = harness
    this.#principal = principal
    const error = (fields: Readonly<Record<string, unknown>>) => void this.faults.push(fields)
    this.#mask = errorMask({ log: { error }, ids: { uuid: () => `reference-${++this.#references}` } })
  }

  /** Any answer, whatever it says. The document must be valid. */
  async answer(source: string, variables: Variables = {}): Promise<Result> {
    return this.#shown(await execute(this.#request(source, variables)))
  }

  /** The data of an operation that has no errors. */
  async data(source: string, variables: Variables = {}): Promise<Data> {
    const { data, errors } = await this.answer(source, variables)
    if (!data || errors.length > 0) throw new Error(`It has errors: ${JSON.stringify(errors)}`)
    return data
  }

  /** The codes of the errors of an operation. */
  async codes(source: string, variables: Variables = {}): Promise<readonly unknown[]> {
    return codesOf(await this.answer(source, variables))
  }

  /** A subscription that begins. */
  async watch(source: string, variables: Variables = {}): Promise<Feed> {
    const feed = await this.attempt(source, variables)
    if (feed instanceof Feed) return feed
    throw new Error(`It does not begin: ${JSON.stringify(feed.errors)}`)
  }

  /** A subscription, or why it does not begin. */
  async attempt(source: string, variables: Variables = {}): Promise<Feed | Result> {
    const begun = await subscribe(this.#request(source, variables))
    if (!(Symbol.asyncIterator in begun)) return this.#shown(begun)
    return new Feed(begun, (result) => this.#shown(result))
  }

  #request(source: string, variableValues: Variables) {
    const document = parse(source)
    const problems = validate(schema, document)
    if (problems.length > 0) throw new Error(`The document is not valid: ${problems.join('; ')}`)
    return { schema, document, variableValues, contextValue: this.#context() }
  }

  #context(): GraphQLContext {
    return createContext(this.#harness, this.#principal)
  }

  #shown({ data, errors = [] }: Awaited<ReturnType<typeof execute>>): Result {
    const masked = errors.map((error) => this.#mask(error).toJSON())
    return JSON.parse(JSON.stringify({ data: data ?? null, errors: masked })) as Result
  }
}

type Raw = Awaited<ReturnType<typeof execute>>

/** What a subscription sends. */
export class Feed {
  readonly #iterator: AsyncIterator<Raw>
  readonly #shown: (result: Raw) => Result

  constructor(iterator: AsyncIterator<Raw>, shown: (result: Raw) => Result) {
    this.#iterator = iterator
    this.#shown = shown
  }

  /** The next result; undefined when it has ended. */
  async next(): Promise<Result | undefined> {
    const step = await this.#iterator.next()
    return step.done ? undefined : this.#shown(step.value)
  }

  /** The field of the next result. */
  async event(): Promise<Data> {
    const result = await this.next()
    const event = result?.data && Object.values(result.data)[0]
    if (!event) throw new Error(`There is no event: ${JSON.stringify(result)}`)
    return event as Data
  }

  async events(count: number): Promise<readonly Data[]> {
    const events: Data[] = []
    for (let i = 0; i < count; i++) events.push(await this.event())
    return events
  }

  /** Events up to the first for which `isLast` holds, that one included. */
  async until(isLast: (event: Data) => boolean): Promise<readonly Data[]> {
    const events: Data[] = []
    do events.push(await this.event())
    while (!isLast(events.at(-1) ?? {}))
    return events
  }

  async stop(): Promise<void> {
    await this.#iterator.return?.()
  }
}

export const codesOf = ({ errors }: Result): readonly unknown[] => errors.map(({ extensions }) => extensions?.['code'])

/** Looks into JSON: `at(data, 'session', 'queue', 0, 'status')`. Undefined where there is nothing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let inner = value
  for (const key of path) inner = (inner as Record<string | number, unknown> | null | undefined)?.[key]
  return inner
}

/** The nodes of a connection. */
export const nodesOf = (connection: unknown): readonly Data[] =>
  (at(connection, 'edges') as readonly { readonly node: Data }[]).map(({ node }) => node)
