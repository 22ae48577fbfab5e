/*
 * Arithmetic, by recursive descent. Owns the place up to which an expression is read. Each level of the grammar is one
 * method; each call reads at least one character or returns, and nesting is bounded, so that time and stack are.
 *
 *   sum     = product { ("+" | "-") product }
 *   product = signed { ("*" | "/" | "%") signed }
 *   signed  = ("+" | "-") signed | power
 *   power   = value [ "^" signed ]
 *   value   = number | constant | function "(" sum { "," sum } ")" | "(" sum ")"
 */
import { ToolError } from '../../ports/tool-error.ts'

const MAX_LENGTH = 1_000
const MAX_DEPTH = 64
const DIGITS = 15

const BLANKS = /\s*/y
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy
const NAME = /[a-z]\w*/iy
const SIGNS: ReadonlyMap<string, string> = new Map([['×', '*'], ['·', '*'], ['÷', '/'], ['−', '-']])

const constants: ReadonlyMap<string, number> = new Map([['pi', Math.PI], ['e', Math.E]])

interface NamedFunction {
  readonly apply: (...values: readonly number[]) => number
  /** How many values it takes; any number, but at least one, when null. */
  readonly takes: number | null
}

const one = (apply: (value: number) => number): NamedFunction => ({ apply: (value = NaN) => apply(value), takes: 1 })

const functions: ReadonlyMap<string, NamedFunction> = new Map([
  ...(['abs', 'ceil', 'cos', 'exp', 'floor', 'round', 'sin', 'sqrt', 'tan'] as const).map((name) => [name, one(Math[name])] as const),
  ['ln', one(Math.log)],
  ['log', one(Math.log10)],
  ['max', { apply: Math.max, takes: null }],
  ['min', { apply: Math.min, takes: null }],
])

/** What an expression comes to, to 15 digits. Throws a tool error that says what is wrong with it, and where. */
export function evaluate(expression: string): number {
  if (expression.length > MAX_LENGTH) throw new ToolError(`An expression has at most ${MAX_LENGTH} characters.`)
  const value = new Expression(expression).whole()
  // Binary fractions show in the last digits: 0.1 + 0.2 is 0.3.
  return Number.isSafeInteger(value) ? value + 0 : Number(value.toPrecision(DIGITS))
}

class Expression {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  whole(): number {
    const value = this.#sum()
    if (this.#next() !== '') throw this.#unexpected()
    return value
  }

  #sum(): number {
    let value = this.#product()
    for (let sign = this.#take('+', '-'); sign !== ''; sign = this.#take('+', '-')) {
      const other = this.#product()
      value = finite(sign === '+' ? value + other : value - other)
    }
    return value
  }

  #product(): number {
    let value = this.#signed()
    for (let sign = this.#take('*', '/', '%'); sign !== ''; sign = this.#take('*', '/', '%')) {
      const other = this.#signed()
      if (sign !== '*' && other === 0) throw new ToolError('Nothing can be divided by zero.')
      value = finite(sign === '*' ? value * other : sign === '/' ? value / other : value % other)
    }
    return value
  }

  #signed(): number {
    const sign = this.#take('+', '-')
    if (sign === '') return this.#power()
    const value = this.#deeper(() => this.#signed())
    return sign === '-' ? -value : value
  }

  #power(): number {
    const value = this.#value()
    return this.#take('^') === '' ? value : finite(value ** this.#deeper(() => this.#signed()))
  }

  #value(): number {
    if (this.#take('(') !== '') return this.#closed(() => this.#sum())
    const number = this.#match(NUMBER)
    if (number !== '') return finite(Number(number))
    const start = this.#at
    const name = this.#match(NAME).toLowerCase()
    const constant = constants.get(name)
    if (constant !== undefined) return constant
    const named = functions.get(name)
    if (named) return this.#called(name, named)
    this.#at = start
    throw this.#unexpected()
  }

  #called(name: string, { apply, takes }: NamedFunction): number {
    if (this.#take('(') === '') throw this.#unexpected()
    const values: number[] = []
    this.#closed(() => {
      do values.push(this.#sum())
      while (this.#take(',') !== '')
      return 0
    })
    if (takes !== null && values.length !== takes) throw new ToolError(`${name} takes one number, not ${values.length}.`)
    return finite(apply(...values))
  }

  #closed(read: () => number): number {
    const value = this.#deeper(read)
    if (this.#take(')') === '') throw this.#unexpected()
    return value
  }

  #deeper(read: () => number): number {
    if (++this.#depth > MAX_DEPTH) throw new ToolError(`An expression is nested at most ${MAX_DEPTH} levels deep.`)
    const value = read()
    this.#depth--
    return value
  }

  /** The next character that is no blank, or nothing at the end. */
  #next(): string {
    this.#match(BLANKS)
    const character = this.#text.charAt(this.#at)
    return SIGNS.get(character) ?? character
  }

  #take(...signs: readonly string[]): string {
    const next = this.#next()
    if (!signs.includes(next)) return ''
    this.#at++
    return next
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const text = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += text.length
    return text
  }

  #unexpected(): ToolError {
    const next = this.#next()
    return next === ''
      ? new ToolError('The expression ends too early.')
      : new ToolError(`There is something unexpected at character ${this.#at + 1}: ${JSON.stringify(this.#text.slice(this.#at, this.#at + 20))}.`)
  }
}

function finite(value: number): number {
  if (Number.isNaN(value)) throw new ToolError('The result is no real number.')
  if (!Number.isFinite(value)) throw new ToolError('The result is too large.')
  return value
}
