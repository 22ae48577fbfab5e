import { NoSuchToolError, type TextStreamPart, type ToolSet } from 'ai'
import { Fault } from '../kernel/fault.ts'
import type { Json } from '../kernel/json.ts'
import type { StepPart } from '../ports/model.ts'
import { usageOf } from './token-usage.ts'

type SdkPart = TextStreamPart<ToolSet>
type Kind = Extract<StepPart, { type: 'start' }>['kind']
type Finish = Extract<StepPart, { type: 'finish' }>

/**
 * Translates what the SDK streams of one model call, part by part; `output` is asked once, for the finish. Each block
 * begins with its first text, since models also open blocks that stay empty, and ends before the finish at the latest.
 * The translation throws what the provider threw, and a fault of the model when the stream makes no sense.
 */
export function stepParts(output: () => Json): (part: SdkPart) => readonly StepPart[] {
  const blocks = new Map<string, 'silent' | 'open'>()
  let hasCalls = false

  const start = (block: string): readonly StepPart[] => {
    blocks.set(block, 'silent')
    return []
  }
  const delta = (block: string, kind: Kind, text: string): readonly StepPart[] => {
    const state = blocks.get(block)
    if (!state) throw new Fault('model', `The model went on with the block ${block}, which it did not start.`)
    if (text === '') return []
    blocks.set(block, 'open')
    const next: StepPart = { type: 'delta', block, text }
    return state === 'open' ? [next] : [{ type: 'start', block, kind }, next]
  }
  const end = (block: string): readonly StepPart[] => {
    const state = blocks.get(block)
    if (!state) throw new Fault('model', `The model ended the block ${block}, which it did not start.`)
    blocks.delete(block)
    return state === 'open' ? [{ type: 'end', block }] : []
  }

  return (part) => {
    switch (part.type) {
      // The SDK numbers text and reasoning apart, and gives a repeated id another one.
      case 'text-start':
        return start(`text:${part.id}`)
      case 'text-delta':
        return delta(`text:${part.id}`, 'text', part.text)
      case 'text-end':
        return end(`text:${part.id}`)
      case 'reasoning-start':
        return start(`reasoning:${part.id}`)
      case 'reasoning-delta':
        return delta(`reasoning:${part.id}`, 'reasoning', part.text)
      case 'reasoning-end':
        return end(`reasoning:${part.id}`)
      case 'tool-call':
        if (part.providerExecuted === true) return []
        hasCalls = true
        return [{ type: 'call', callId: part.toolCallId, toolName: part.toolName, input: json(part.input), problem: problemOf(part) }]
      case 'error':
        throw part.error instanceof Error ? part.error : new Fault('model', textOf(part.error), part.error)
      case 'finish': {
        const reason = reasonOf(part.finishReason)
        const finish: Finish = {
          type: 'finish',
          reason: hasCalls ? 'continue' : reason,
          usage: usageOf(part.totalUsage),
          output: output(),
        }
        return [...blocks.keys().flatMap(end), finish]
      }
      default: // What has no place in a conversation: steps, sources, pings. A file is in the output.
        return []
    }
  }
}

/** The SDK parses inputs, and finds out about tools that there are not. */
function problemOf(part: Extract<SdkPart, { type: 'tool-call' }>): string | null {
  if (part.invalid !== true) return null
  return NoSuchToolError.isInstance(part.error)
    ? `There is no tool ${JSON.stringify(part.toolName)}.`
    : 'The input of the call is not valid JSON.'
}

/** Providers leave the input out when it is empty. */
const json = (input: unknown): Json => JSON.parse(JSON.stringify(input ?? {})) as Json

function reasonOf(reason: Extract<SdkPart, { type: 'finish' }>['finishReason']): Finish['reason'] {
  switch (reason) {
    case 'stop':
    case 'other':
    case 'tool-calls': // Without a call.
      return 'stop'
    case 'length':
      return 'length'
    case 'content-filter':
      return 'filtered'
    case 'interrupted':
    case 'error':
      throw new Fault('model', `The model ended its answer with ${JSON.stringify(reason)}.`)
  }
}

const textOf = (error: unknown): string =>
  typeof error === 'string' ? error : 'The model reported an error that is no Error.'
