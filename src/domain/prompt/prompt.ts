import type { Json } from '../../kernel/json.ts'
import type { Budget } from '../run/budget.ts'
import { utf8Length } from '../../kernel/text.ts'

export interface Attachment {
  /** Such as `image/png`. */
  readonly mediaType: string
  readonly filename: string | null
  /** A `data:` URL with the content. */
  readonly url: string
}

export interface PromptOptions {
  /** `provider:model`; the harness' own model when null. */
  readonly modelHint: string | null
  /** Replaces the harness' system prompt for this run. */
  readonly system: string | null
  /** Model calls, at least 1; the harness' limit when null. */
  readonly maxSteps: number | null
  /** Null when it limits nothing. */
  readonly budget: Budget | null
}

/** What a caller asks of a session. */
export interface Prompt {
  readonly text: string
  readonly attachments: readonly Attachment[]
  readonly options: PromptOptions
}

/** What a prompt does to a session that is busy. */
export type WhenBusy = 'ENQUEUE' | 'REJECT' | 'INTERRUPT'

/** UTF-8 bytes of all that it holds. */
export const bytesOf = ({ text, attachments, options }: Prompt): number =>
  [text, options.system ?? '', ...attachments.flatMap(({ mediaType, filename, url }) => [mediaType, filename ?? '', url])]
    .map(utf8Length)
    .reduce((sum, bytes) => sum + bytes, 0)

/** For comparing two prompts by digest. */
export const promptJson = ({ text, attachments, options }: Prompt): Json => ({
  text,
  attachments: attachments.map(({ mediaType, filename, url }) => ({ mediaType, filename, url })),
  options: {
    modelHint: options.modelHint,
    system: options.system,
    maxSteps: options.maxSteps,
    budget: options.budget && budgetJson(options.budget),
  },
})

const budgetJson = ({ totalTokens, wallClockMs, idleMs }: Budget): Json => ({ totalTokens, wallClockMs, idleMs })
