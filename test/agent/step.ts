import type { LogBody, LogEntry } from '../../src/domain/log/entry.ts'
import type { RunId, SessionKey } from '../../src/kernel/ids.ts'
import type { Model, StepCall, StepPart } from '../../src/ports/model.ts'

/** A log with these bodies; each input begins a run. */
export function logOf(...bodies: readonly LogBody[]): readonly LogEntry[] {
  let run = 0
  return bodies.map((body, index) => {
    if (body.kind === 'input') run++
    return { sessionKey: 1 as SessionKey, index, runId: `run-${run}` as RunId, createdAt: 0, body }
  })
}

export const input = (text: string): LogBody => ({ kind: 'input', text, attachments: [] })

/** A call with a log that ends with this prompt. */
export const callOf = (prompt: string, fields: Partial<StepCall> = {}): StepCall => ({
  system: null,
  log: logOf(input(prompt)),
  tools: [],
  signal: new AbortController().signal,
  ...fields,
})

export interface Step {
  readonly parts: readonly StepPart[]
  /** What the stream threw. */
  readonly thrown: unknown
}

/** Takes a step to its end, whatever the end is. */
export async function stepOf(model: Model, call: StepCall): Promise<Step> {
  const parts: StepPart[] = []
  try {
    for await (const part of model.stream(call)) parts.push(part)
  } catch (thrown) {
    return { parts, thrown }
  }
  return { parts, thrown: undefined }
}

/** The text of all blocks of a kind. */
export function textOf({ parts }: Pick<Step, 'parts'>, kind: 'text' | 'reasoning' = 'text'): string {
  const blocks = new Set(parts.flatMap((part) => (part.type === 'start' && part.kind === kind ? [part.block] : [])))
  return parts.map((part) => (part.type === 'delta' && blocks.has(part.block) ? part.text : '')).join('')
}

export const finishOf = ({ parts }: Pick<Step, 'parts'>): Extract<StepPart, { type: 'finish' }> | undefined =>
  parts.find((part) => part.type === 'finish')
