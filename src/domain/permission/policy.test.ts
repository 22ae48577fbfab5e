import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../kernel/json.ts'
import { type PolicyCall, type PolicyEffect, type PolicyRule, verdictOf } from './policy.ts'

const callWith = (fields: Partial<PolicyCall> = {}): PolicyCall => ({
  toolName: 'write',
  input: { path: 'src/a.ts' },
  readOnly: false,
  ...fields,
})

const nothing = { effect: 'ask', message: null } as const

/** Whether a rule with these conditions counts for a call. */
const matches = (conditions: Pick<PolicyRule, 'tool' | 'input'>, call: PolicyCall): boolean =>
  verdictOf([{ ...conditions, effect: 'deny', message: 'it matched' }], call).message === 'it matched'

const matchesField = (pattern: string, value: Json): boolean =>
  matches({ tool: '*', input: { field: pattern } }, callWith({ input: { field: value } }))

test('P12: without a rule that matches, tools that change nothing are allowed and all others asked for', () => {
  for (const rules of [[], [{ tool: 'other', effect: 'deny' }]] satisfies PolicyRule[][]) {
    expect(verdictOf(rules, callWith({ readOnly: true }))).toEqual({ effect: 'allow', message: null })
    expect(verdictOf(rules, callWith({ readOnly: false }))).toEqual(nothing)
  }
})

test('P12: of the rules that match the first counts, whatever the tool says of itself', () => {
  const rules: readonly PolicyRule[] = [
    { tool: 'read', effect: 'allow' },
    { tool: 'write', input: { path: '/etc/*' }, effect: 'deny', message: 'Not there.' },
    { tool: 'wr*', effect: 'allow' },
    { tool: '*', effect: 'ask' },
  ]
  for (const readOnly of [true, false]) {
    expect(verdictOf(rules, callWith({ readOnly, input: { path: '/etc/hosts' } }))).toEqual({
      effect: 'deny',
      message: 'Not there.',
    })
    expect(verdictOf(rules, callWith({ readOnly })).effect).toBe('allow')
    expect(verdictOf(rules, callWith({ readOnly, toolName: 'shell' }))).toEqual(nothing)
  }
})

test('P12: the verdict is that of the first rule that matches alone', () => {
  const effects = fc.constantFrom<PolicyEffect>('allow', 'ask', 'deny')
  const rule = fc.record({ tool: fc.constantFrom('write', 'w*', '*', 'read', 'wri'), effect: effects })
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), fc.boolean(), (rules, readOnly) => {
      const first = rules.find(({ tool }) => ['write', 'w*', '*'].includes(tool))
      const fallback = readOnly ? 'allow' : 'ask'
      expect(verdictOf(rules, callWith({ readOnly })).effect).toBe(first?.effect ?? fallback)
    }),
  )
})

test.each<[string, string, boolean]>([
  ['write', 'write', true],
  ['write', 'writer', false],
  ['write', 'overwrite', false],
  ['write', 'Write', false],
  ['', '', true],
  ['', 'write', false],
  ['*', '', true],
  ['*', 'anything\nat all', true],
  ['**', 'write', true],
  ['write*', 'write', true],
  ['*write', 'overwrite', true],
  ['*write', 'overwriter', false],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['ab*ba', 'aba', false],
  ['a*b*c', 'a-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['*ab*ab*', 'ab-ab', true],
  ['*ab*ab*', 'ab-a', false],
  ['w.ite', 'write', false],
  ['w?ite', 'write', false],
])('P13: the pattern %j matches %j: %s', (tool, toolName, does) => {
  expect(matches({ tool }, callWith({ toolName }))).toBe(does)
})

test('P13: a pattern matches as the regular expression does in which each * is any text', () => {
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 8 })
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '\n'), maxLength: 12 })
  fc.assert(
    fc.property(pattern, text, (tool, toolName) => {
      const source = tool.split('*').map((piece) => piece.replaceAll('.', String.raw`\.`)).join(String.raw`[^]*`)
      expect(matches({ tool }, callWith({ toolName }))).toBe(new RegExp(`^${source}$`, 'u').test(toolName))
    }),
    { numRuns: 2000 },
  )
})

test('P13: a pattern of many parts is told from a long text at once, not after trying all ways to split it', () => {
  const text = 'a'.repeat(200_000)
  expect(matchesField(`${'*a'.repeat(1000)}*b`, text)).toBe(false)
  expect(matchesField(`${'a*'.repeat(1000)}b`, text)).toBe(false)
  expect(matchesField('a*'.repeat(1000), text)).toBe(true)
})

test('P13: all conditions on the input must match, and a field that is missing matches nothing', () => {
  const rule = { tool: '*', input: { path: 'src/*', mode: 'w' } }
  expect(matches(rule, callWith({ input: { path: 'src/a.ts', mode: 'w' } }))).toBe(true)
  expect(matches(rule, callWith({ input: { path: 'src/a.ts', mode: 'r' } }))).toBe(false)
  expect(matches(rule, callWith({ input: { path: 'src/a.ts' } }))).toBe(false)
  expect(matches({ tool: '*', input: { other: '*' } }, callWith())).toBe(false)
  expect(matches({ tool: '*', input: {} }, callWith())).toBe(true)
})

test('P13: a dot in the name of a field goes one level down, into objects alone', () => {
  const rule = { tool: '*', input: { 'target.path': '/etc/*' } }
  expect(matches(rule, callWith({ input: { target: { path: '/etc/hosts' } } }))).toBe(true)
  const others = [{ target: '/etc/hosts' }, { target: null }, { target: ['/etc/hosts'] }, { 'target.path': '/etc/hosts' }]
  for (const input of others) {
    expect(matches(rule, callWith({ input }))).toBe(false)
  }
  for (const input of [null, 'path', 7, ['path']]) {
    expect(matches({ tool: '*', input: { path: '*' } }, callWith({ input }))).toBe(false)
  }
  expect(matches({ tool: '*', input: { 'target.0': '*' } }, callWith({ input: { target: ['/etc/hosts'] } }))).toBe(false)
})

test('P13: what is not text is compared as JSON', () => {
  expect(matchesField('7', 7)).toBe(true)
  expect(matchesField('true', true)).toBe(true)
  expect(matchesField('null', null)).toBe(true)
  expect(matchesField('["a",1]', ['a', 1])).toBe(true)
  expect(matchesField('*"force":true*', { path: 'a', force: true })).toBe(true)
  expect(matchesField('"text"', 'text')).toBe(false)
})

test.each(['__proto__', 'constructor', 'toString', '__proto__.toString', 'constructor.name', 'path.length'])(
  'P13: %s is no field of an input that does not have it',
  (path) => {
    expect(matches({ tool: '*', input: { [path]: '*' } }, callWith({ input: { path: 'a' } }))).toBe(false)
  },
)

test('P13: a field of the input is found whatever its name', () => {
  const input = JSON.parse('{"__proto__": {"path": "a"}, "constructor": "b"}') as Json
  expect(matches({ tool: '*', input: { ['__proto__.path']: 'a', constructor: 'b' } }, callWith({ input }))).toBe(true)
  expect(matches({ tool: '*', input: { path: 'a' } }, callWith({ input }))).toBe(false)
})
