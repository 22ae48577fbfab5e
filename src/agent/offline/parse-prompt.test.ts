import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parsePrompt } from './parse-prompt.ts'

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
  ['digits', `count to ${'9'.repeat(1_000_000)}`, 1],
])('a prompt of a million %s is taken apart within the time of a test', (_, prompt, requests) => {
  expect(parsePrompt(prompt)).toHaveLength(requests)
})
