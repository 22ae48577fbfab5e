import { z } from 'zod'
import {
  dataUrlRule,
  filenameRule,
  idRule,
  maxStepsRule,
  mediaTypeRule,
  messageRule,
  metadataRule,
  modelHintRule,
  promptTextRule,
  rememberKeyRule,
  type Rule,
  systemRule,
  titleRule,
} from '../domain/input-rules.ts'
import { MAX_PAGE } from '../domain/limits.ts'
import type { JsonObject } from '../kernel/json.ts'

/** A rule of the domain as the `validate` option of an argument or an input field. */
const validated = <T>(type: z.ZodType<T>, rule: Rule<T>) => ({
  schema: type.superRefine((value, context) => {
    const message = rule(value)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  }),
})

const text = (rule: Rule<string>) => validated(z.string(), rule)

export const validId = text(idRule)
export const validTitle = text(titleRule)
export const validPromptText = text(promptTextRule)
export const validSystem = text(systemRule)
export const validModelHint = text(modelHintRule)
export const validFilename = text(filenameRule)
export const validMediaType = text(mediaTypeRule)
export const validDataUrl = text(dataUrlRule)
export const validMessage = text(messageRule)
export const validRememberKey = text(rememberKeyRule)

export const integer = (rule: Rule<number>) => validated(z.number(), rule)

export const validPageSize = integer((size) =>
  size < 0 || size > MAX_PAGE ? `must be from 0 to ${MAX_PAGE}` : undefined,
)
export const validMaxSteps = integer(maxStepsRule)
export const validMaxDepth = integer((levels) => (levels < 1 ? 'must be at least 1' : undefined))

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const validMetadata = validated(z.unknown(), (value) =>
  isJsonObject(value) ? metadataRule(value) : 'must be a JSON object',
)

/** For lists: at most `max` items. */
export const atMostItems = (max: number): { readonly maxLength: [number, { message: string }] } => ({
  maxLength: [max, { message: `must have at most ${max} items` }],
})
