import { type Tool, tool } from 'ai'
import { z } from 'zod'
import { evaluate } from './evaluate.ts'

/** The tool `calculator`. */
export const calculatorTool = (): Tool =>
  tool({
    description:
      'Calculates an expression with + - * / % (remainder) ^ (power), parentheses, pi, e, and the functions abs, ceil, cos, ' +
      'exp, floor, ln, log (base 10), max, min, round, sin, sqrt and tan. Angles are in radians.',
    inputSchema: z.object({ expression: z.string().describe('Such as "2 * (3 + 4) ^ 2"') }),
    metadata: { readOnly: true, idempotent: true },
    execute: ({ expression }) => ({ expression, result: evaluate(expression) }),
  })
