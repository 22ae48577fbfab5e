import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parsePrompt } from './parse-prompt.ts'
import { isCalling } from './phrase.ts'

const understood = (prompt: string) => parsePrompt(prompt).map(({ phrase, words }) => [phrase?.form ?? null, ...words])

test.each<readonly [string, readonly (readonly (string | null)[])[]]>([
  ['think about cats', [['think about X', 'cats']]],
  ['Count to 3', [['count to N [slowly]', '3', '']]],
  ['count to 3 slowly.', [['count to N [slowly]', '3', ' slowly']]],
  ['wait 1 second', [['wait N seconds', '1']]],
  ['wait for 0.5 seconds', [['wait N seconds', '0.5']]],
  ['fail with a bang', [['fail with MESSAGE', 'a bang']]],
  ['remember the milk\nand the bread', [['remember FACT', 'the milk\nand the bread']]],
  ['What did I say?', [['what did I say']]],
  ['hello', [[null]]],
  ['', [[null]]],
  ['count to many', [[null]]],
  ['count to 2 then wait 1 seconds, then  count to 3', [
    ['count to N [slowly]', '2', ''],
    ['wait N seconds', '1'],
    ['count to N [slowly]', '3', ''],
  ]],
  ['remember I woke then ate then what did I say', [['remember FACT', 'I woke then ate'], ['what did I say']]],
  ['and then there was light then count to 1', [[null], ['count to N [slowly]', '1', '']]],
  ['then count to 1', [[null]]],
])('%j', (prompt, requests) => {
  expect(understood(prompt)).toEqual(requests)
})

test.each<readonly [string, readonly (readonly (string | null)[])[]]>([
  ['list files', [['list files [in DIR]', '']]],
  ['List the files in "my notes"', [['list files [in DIR]', '"my notes"']]],
  ['read notes/a.md then read b', [['read FILE', 'notes/a.md'], ['read FILE', 'b']]],
  ['read me a story', [[null]]],
  ['search for a needle', [['search for TEXT', 'a needle']]],
  ['write a to b to c.txt', [['write TEXT to FILE', 'a to b', 'c.txt']]],
  ['write I woke then read to diary then read diary', [['write TEXT to FILE', 'I woke then read', 'diary'], ['read FILE', 'diary']]],
  ['fetch http://a.example/', [['fetch URL', 'http://a.example/']]],
  ['calculate 1 + 2', [['calculate EXPR', '1 + 2']]],
  ['call x with {"a":"b then read c"} then read d', [['call TOOL with JSON', 'x', '{"a":"b then read c"}'], ['read FILE', 'd']]],
  ['call x with {"a":"\\" then read c"} then read d', [['call TOOL with JSON', 'x', '{"a":"\\" then read c"}'], ['read FILE', 'd']]],
  ['call x with {"a": [1 then read b', [['call TOOL with JSON', 'x', '{"a": [1 then read b']]],
  ['delegate to a: count to 3 then sleep', [['delegate to AGENT: PROMPT', 'delegate to a: count to 3'], [null]]],
  ['delegate to a: (count to 3 then sleep) then read b', [['delegate to AGENT: PROMPT', 'delegate to a: (count to 3 then sleep)'], ['read FILE', 'b']]],
  ['delegate to a: (x (y then z) then (u)) then read b', [['delegate to AGENT: PROMPT', 'delegate to a: (x (y then z) then (u))'], ['read FILE', 'b']]],
  ['delegate to a: frown :( then read b', [['delegate to AGENT: PROMPT', 'delegate to a: frown :('], ['read FILE', 'b']]],
  ['remember ( then delegate to a: b ) then read c', [['remember FACT', '('], ['delegate to AGENT: PROMPT', 'delegate to a: b )'], ['read FILE', 'c']]],
  ['remember ( then delegate to a: b ) (c then d) then read e', [['remember FACT', '('], ['delegate to AGENT: PROMPT', 'delegate to a: b ) (c then d)'], ['read FILE', 'e']]],
  ['delegate to a:', [[null]]],
])('%j', (prompt, requests) => {
  expect(understood(prompt)).toEqual(requests)
})

const delegations = (prompt: string) =>
  parsePrompt(prompt).map(({ phrase, words }) => (isCalling(phrase) ? phrase.calls(words).map(({ input }) => input) : phrase?.form))

test('delegations that are joined by `and` are made at once; parentheses keep prompts together', () => {
  expect(delegations('delegate to a: count to 3 and delegate to b : wait 1 second, and delegate to c: x and y')).toEqual([
    [
      { description: 'count to 3', prompt: 'count to 3', subagentType: 'a' },
      { description: 'wait 1 second', prompt: 'wait 1 second', subagentType: 'b' },
      { description: 'x and y', prompt: 'x and y', subagentType: 'c' },
    ],
  ])
  const inner = 'delegate to b: read x then read y and delegate to c: z'
  expect(delegations(`delegate to a: (${inner}) and delegate to d: (e) (f) then what did I say`)).toEqual([
    [
      { description: inner, prompt: inner, subagentType: 'a' },
      { description: '(e) (f)', prompt: '(e) (f)', subagentType: 'd' },
    ],
    'what did I say',
  ])
  expect(delegations(`delegate to a: ${'é'.repeat(60)}`)).toEqual([
    [{ description: `${'é'.repeat(40)}…`, prompt: 'é'.repeat(60), subagentType: 'a' }],
  ])
})

test('nothing of a prompt is lost or invented but blanks, commas and the joints', () => {
  const word = fc.constantFrom('then', 'count to 3', 'remember', 'milk', 'wait 1 second', 'what did I say', ',', ' ')
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const prompt = words.join(' ')
      const bare = (text: string) => text.replaceAll(/[\s,]|then/g, '')
      expect(bare(parsePrompt(prompt).map(({ text }) => text).join(''))).toBe(bare(prompt))
    }),
  )
})

test.each([
  ['blanks', ' '.repeat(1_000_000), 1],
  ['thens', ' then'.repeat(200_000), 1],
  ['phrases', 'remember x then '.repeat(60_000), 1_000],
  ['open parentheses', `delegate to a: ${'( then '.repeat(150_000)}`, 2],
  ['closed parentheses', 'delegate to a: (x then y) then '.repeat(30_000), 1_000],
  ['nested parentheses', `delegate to a: ${'( then '.repeat(80_000)}${' then )'.repeat(80_000)}`, 1],
  ['delegations', `delegate to a: b${' and delegate to c: (d'.repeat(45_000)}`, 1],
  ['calls', 'call x with {"a":1} then '.repeat(40_000), 1_000],
  ['brackets', `call x with ${'[ then '.repeat(150_000)}`, 1],
  ['unknown words behind a call', `call x with {}${' then foo'.repeat(110_000)}`, 1],
  ['targets', `write ${'" to '.repeat(200_000)}`, 1],
  ['quotation marks', `read ${'"'.repeat(1_000_000)}`, 1],
  ['digits', `count to ${'9'.repeat(1_000_000)}`, 1],
])('a prompt of a million %s is taken apart within the time of a test', (_, prompt, requests) => {
  const parsed = parsePrompt(prompt)
  for (const { phrase, words } of parsed) if (isCalling(phrase)) phrase.calls(words)
  expect(parsed).toHaveLength(requests)
})
