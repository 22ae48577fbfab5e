import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkedDefinitions } from './checked-definitions.ts'
import type { SubagentDefinition } from './definition.ts'

const researcher: SubagentDefinition = { name: 'researcher', description: 'Finds things out.' }
const whole: SubagentDefinition = {
  name: 'writer',
  description: '',
  modelHint: 'test:other',
  system: 'Write.\n',
  maxSteps: 3,
  budget: { totalTokens: 1_000, wallClockMs: 60_000, idleMs: 10_000 },
  tools: ['read_file', 'write_file'],
}

const accepted = (given: unknown): readonly SubagentDefinition[] => {
  const checked = checkedDefinitions(given)
  if (!checked.ok) throw new Error(`Not accepted: ${JSON.stringify(checked.issues)}`)
  return checked.definitions
}

/** What is said, as `path: message`. */
const said = (given: unknown): readonly string[] => {
  const checked = checkedDefinitions(given)
  return checked.ok ? [] : checked.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

const throwing = (): never => {
  throw new Error('hands off')
}

test('G100: what an application defines is copied and frozen, to the last list in it', () => {
  const tools = ['read_file']
  const budget = { totalTokens: 5 }
  const given = [researcher, { ...whole, tools, budget }]
  const definitions = accepted(given)
  expect(definitions).toEqual(given)
  tools.push('write_file')
  budget.totalTokens = 6
  given.pop()
  expect(definitions[1]).toMatchObject({ tools: ['read_file'], budget: { totalTokens: 5 } })
  const [, writer] = definitions
  for (const part of [definitions, ...definitions, writer?.tools, writer?.budget]) expect(Object.isFrozen(part)).toBe(true)
})

test('G100: without definitions there is none, and what is undefined counts as absent', () => {
  expect(accepted(undefined)).toEqual([])
  expect(accepted([])).toEqual([])
  expect(accepted([{ ...researcher, modelHint: undefined, budget: {}, tools: [] }])).toEqual([
    { ...researcher, budget: {}, tools: [] },
  ])
  expect(accepted(Array.from({ length: 32 }, (_, i) => ({ ...researcher, name: `agent ${i}` })))).toHaveLength(32)
})

describe('G101: refused, with the place of each mistake:', () => {
  const other = 'must be a plain object, without accessors and symbols'
  const known = 'is unknown; there are name, description, modelHint, system, maxSteps, budget, tools'
  test.each<readonly [string, unknown, readonly string[]]>([
    ['no list', researcher, ['subagents: must be a plain list']],
    ['null', null, ['subagents: must be a plain list']],
    ['33 of them', Array.from({ length: 33 }, (_, i) => ({ ...researcher, name: `${i}` })), ['subagents: must hold at most 32 items']],
    ['no objects', ['researcher', null], [0, 1].map((i) => `subagents.${i}: ${other}`)],
  ])('G101: %s', (_, given, messages) => {
    expect(said(given)).toEqual(messages)
  })

  test.each<readonly [string, unknown, readonly string[]]>([
    ['nothing in it', {}, ['subagents.0.name: must be text', 'subagents.0.description: must be text']],
    ['an empty name', { ...researcher, name: '' }, ['subagents.0.name: must not be empty or blank']],
    ['a blank name', { ...researcher, name: ' \t' }, ['subagents.0.name: must not be empty or blank']],
    ['a long name', { ...researcher, name: 'é'.repeat(65) }, ['subagents.0.name: must have at most 128 UTF-8 bytes: it has 130']],
    ['a name of several lines', { ...researcher, name: 'a\nb' }, ['subagents.0.name: must not contain control characters']],
    ['a number as name', { ...researcher, name: 7 }, ['subagents.0.name: must be text']],
    ['a long description', { ...researcher, description: 'x'.repeat(2_049) }, ['subagents.0.description: must have at most 2048 UTF-8 bytes: it has 2049']],
    ['a long hint', { ...researcher, modelHint: 'x'.repeat(513) }, ['subagents.0.modelHint: must have at most 512 UTF-8 bytes: it has 513']],
    ['a long prompt', { ...researcher, system: 'x'.repeat(65_537) }, ['subagents.0.system: must have at most 65536 UTF-8 bytes: it has 65537']],
    ['no step', { ...researcher, maxSteps: 0 }, ['subagents.0.maxSteps: must be a positive integer']],
    ['a step as text', { ...researcher, maxSteps: '3' }, ['subagents.0.maxSteps: must be a number']],
    ['a budget that is none', { ...researcher, budget: 5 }, [`subagents.0.budget: ${other}`]],
    ['half a token', { ...researcher, budget: { totalTokens: 0.5 } }, ['subagents.0.budget.totalTokens: must be a positive integer of at most 1000000000000']],
    ['more than a day of silence', { ...researcher, budget: { idleMs: 86_400_001 } }, ['subagents.0.budget.idleMs: must be a positive integer of at most 86400000']],
    ['an unknown budget', { ...researcher, budget: { tokens: 5 } }, ['subagents.0.budget.tokens: is unknown; there are totalTokens, wallClockMs, idleMs']],
    ['one tool', { ...researcher, tools: 'read_file' }, ['subagents.0.tools: must be a plain list']],
    ['an empty tool', { ...researcher, tools: ['a', ''] }, ['subagents.0.tools.1: must not be empty']],
    ['many tools', { ...researcher, tools: Array(257).fill('a') }, ['subagents.0.tools: must hold at most 256 items']],
    ['an unknown field', { ...researcher, model: 'x' }, [`subagents.0.model: ${known}`]],
    ['a field that objects inherit', JSON.parse('{"name":"a","description":"b","__proto__":{}}'), [`subagents.0.__proto__: ${known}`]],
  ])('G101: %s', (_, given, messages) => {
    expect(said([given])).toEqual(messages)
  })

  test('G101: the same name twice', () => {
    expect(said([researcher, whole, researcher])).toEqual(['subagents.2.name: is "researcher" twice'])
  })

  test('G101: everything at once, but no endless list of unknown fields', () => {
    expect(said([{ name: '', description: 1 }, { ...researcher, maxSteps: -1 }])).toHaveLength(3)
    expect(said([{ ...researcher, ...Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`x${i}`, i])) }])).toHaveLength(10)
  })
})

test('G102: whatever is given, nothing is thrown and no code of it is run', () => {
  const hostile = [
    new Proxy([], { get: throwing, getOwnPropertyDescriptor: throwing }),
    [new Proxy({}, { ownKeys: throwing })],
    [{ ...researcher, get system() { return throwing() } }],
    [Object.create(researcher) as unknown],
    [{ ...researcher, budget: new Proxy({}, { getPrototypeOf: throwing }) }],
    [{ ...researcher, name: { toString: throwing } }],
  ]
  for (const given of hostile) expect(said(given)).not.toEqual([])
  fc.assert(fc.property(fc.anything({ withNullPrototype: true, withSparseArray: true }), (given) => void checkedDefinitions([given])))
})

test('G102: what a proxy tells later changes nothing', () => {
  let name = 'first'
  const shifting = new Proxy({ ...researcher }, {
    getOwnPropertyDescriptor: (target, key) =>
      key === 'name' ? { value: name, enumerable: true, configurable: true } : Reflect.getOwnPropertyDescriptor(target, key),
  })
  const [definition] = accepted([shifting])
  name = 'second'
  expect(definition?.name).toBe('first')
})
