import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ToolError } from '../../ports/tool-error.ts'
import { evaluate } from './evaluate.ts'

test.each<readonly [string, number]>([
  ['1', 1], [' 1 + 2 * 3 ', 7], ['(1+2)*3', 9], ['7 - 2 - 1', 4], ['8/4/2', 1], ['-7 % 3', -1], ['2^3^2', 512], ['-2^2', -4],
  ['2^-1', 0.5], ['--2', 2], ['+3', 3], ['1.5e3', 1500], ['.5 + 5.', 5.5], ['0.1 + 0.2', 0.3], ['1/3', 0.333333333333333],
  ['3 × 4 ÷ 2 − 1', 5], ['sqrt(16) + abs(-2)', 6], ['max(1, 2, 3) - min(4, 5)', -1], ['round(2.5) + floor(-0.5) + ceil(0.2)', 3],
  ['sin(0) + cos(0) + tan(0)', 1], ['ln(e)', 1], ['log(1000)', 3], ['exp(0)', 1], ['2 * PI', 6.28318530717959], ['-0', 0],
  ['9007199254740991', 9007199254740991], ['2^64', 18446744073709600000], [`${'('.repeat(60)}1${')'.repeat(60)}`, 1],
])('T60: %s is %d', (expression, value) => {
  expect(evaluate(expression)).toBe(value)
})

test.each([
  ['', 'ends too early'], ['1 +', 'ends too early'], ['(1', 'ends too early'], ['1)', 'character 2: ")"'], ['1 2', 'character 3: "2"'],
  ['2x', 'character 2: "x"'], ['two + 1', 'character 1: "two + 1"'], ['1 + __proto__', 'character 5'], ['constructor', 'character 1'],
  ['sqrt', 'ends too early'], ['sqrt 2', 'character 6'], ['sqrt()', 'character 6'], ['sqrt(1, 2)', 'takes one number, not 2'],
  ['process.exit()', 'character 1'], ['1;2', 'character 2'], ['1/0', 'divided by zero'], ['1 % 0', 'divided by zero'],
  ['0/0', 'divided by zero'], ['sqrt(-1)', 'no real number'], ['(-8)^(1/3)', 'no real number'], ['9^9^9', 'too large'],
  ['1e999', 'too large'], ['1e308*10', 'too large'], ['ln(0)', 'too large'], ['1'.repeat(1_001), 'at most 1000 characters'],
  ['('.repeat(65), 'nested at most 64'], ['-'.repeat(100), 'nested at most 64'], [`${'2^'.repeat(100)}2`, 'nested at most 64'],
])('T60: %j is refused, with the reason', (expression, reason) => {
  expect(() => evaluate(expression)).toThrow(ToolError)
  expect(() => evaluate(expression)).toThrow(reason)
})

test('T60: whatever the expression, there is a finite number or a tool error', () => {
  const piece = fc.constantFrom('1', '0', '.5', '+', '-', '*', '/', '%', '^', '(', ')', ',', 'sqrt', 'max(', 'e', 'pi', ' ', 'x', '1e9')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const outcome = () => {
        try {
          return Number.isFinite(evaluate(pieces.join('')))
        } catch (error) {
          return error instanceof ToolError
        }
      }
      expect(outcome()).toBe(true)
    }),
  )
})

test('T60: sums of whole numbers are exact', () => {
  const number = fc.integer({ min: -1_000_000, max: 1_000_000 })
  fc.assert(
    fc.property(number, number, number, (a, b, c) => {
      expect(evaluate(`${a} + (${b}) * ${c} - (${c})`)).toBe(a + b * c - c + 0)
    }),
  )
})
