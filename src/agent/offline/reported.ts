import type { LanguageModelV4ToolResultOutput, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { cutUtf8 } from '../../kernel/text.ts'
import type { Piece } from './phrase.ts'
import { words } from './words.ts'

const MAX_BYTES = 4_096
const MAX_PARTS = 20

/** How those put it who know that a call may have happened or not. */
const UNKNOWN = /\boutcome\b[^.]{0,40}\bunknown\b|\bunknown outcome\b|\buncertain\b/i

/** What a tool returned to this input, in words; of a subagent, what it answered. */
export function reported({ toolName, output }: LanguageModelV4ToolResultPart, input: unknown): readonly Piece[] {
  const agent = toolName === 'delegate' ? agentIn(input) : undefined
  if (agent === undefined) return words(sentence(`The tool ${toolName}`, output))
  const answer = output.type === 'json' ? answerIn(output.value) : undefined
  return words(answer === undefined ? sentence(`The subagent ${agent}`, output) : `The subagent ${agent} ${answer}`)
}

const agentIn = (input: unknown): string | undefined => textIn(input, 'subagentType')

function answerIn(returned: unknown): string | undefined {
  const text = textIn(returned, 'text')
  if (text === undefined) return undefined
  const part = textIn(returned, 'status') === 'partial' ? ' in part, then its budget was spent' : ''
  return text === '' ? `answered nothing${part}.` : `answered${part}: ${shown(text)}`
}

function textIn(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  const text: unknown = Reflect.get(value, name)
  return typeof text === 'string' ? text : undefined
}

function sentence(tool: string, output: LanguageModelV4ToolResultOutput): string {
  switch (output.type) {
    case 'text':
      return `${tool} returned: ${shown(output.value)}`
    case 'json':
      return `${tool} returned: ${shown(JSON.stringify(output.value))}`
    case 'content':
      return `${tool} returned: ${output.value.slice(0, MAX_PARTS).map((part) => (part.type === 'text' ? shown(part.text) : `[a ${part.type}]`)).join(' ')}`
    case 'execution-denied':
      return `${tool} was not allowed to run${output.reason === undefined ? '.' : `: ${shown(output.reason)}`}`
    case 'error-text':
      return failed(tool, output.value)
    case 'error-json':
      return failed(tool, JSON.stringify(output.value))
  }
}

const failed = (tool: string, error: string): string =>
  `${tool} ${UNKNOWN.test(error.slice(0, MAX_BYTES)) ? 'may have done it or not' : 'failed'}: ${shown(error)}`

function shown(text: string): string {
  const cut = cutUtf8(text, MAX_BYTES)
  return cut === text ? cut : `${cut}… [there is more]`
}
