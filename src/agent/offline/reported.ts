import type { LanguageModelV4ToolResultOutput, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { cutUtf8 } from '../../kernel/text.ts'
import type { Piece } from './phrase.ts'
import { words } from './words.ts'

const MAX_BYTES = 4_096
const MAX_PARTS = 20

/** How those put it who know that a call may have happened or not. */
const UNKNOWN = /\boutcome\b[^.]{0,40}\bunknown\b|\bunknown outcome\b|\buncertain\b/i

/** What a tool returned, in words. */
export function reported({ toolName, output }: LanguageModelV4ToolResultPart): readonly Piece[] {
  return words(sentence(`The tool ${toolName}`, output))
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
