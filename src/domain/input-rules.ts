import { canonicalJson, type Json, type JsonObject } from '../kernel/json.ts'
import { utf8Length } from '../kernel/text.ts'
import {
  MAX_ERROR_MESSAGE_BYTES,
  MAX_FENCE_REASON_BYTES,
  MAX_FILENAME_BYTES,
  MAX_ID_BYTES,
  MAX_MEDIA_TYPE_LENGTH,
  MAX_METADATA_BYTES,
  MAX_METADATA_DEPTH,
  MAX_MODEL_HINT_BYTES,
  MAX_REMEMBER_KEY_BYTES,
  MAX_SUBAGENT_DESCRIPTION_BYTES,
  MAX_SUBAGENT_NAME_BYTES,
  MAX_SYSTEM_BYTES,
  MAX_TITLE_BYTES,
  MAX_TOOL_NAME_BYTES,
} from './limits.ts'

/** Says what is wrong with a value, or undefined when nothing is. */
export type Rule<T> = (value: T) => string | undefined

const CONTROL = /[\p{Cc}]/u
/** Tab, line feed and carriage return are part of ordinary text. */
const CONTROL_IN_TEXT = /(?![\t\n\r])[\p{Cc}]/u
const MEDIA_TYPE =
  /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?: *; *[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[^"\p{Cc}\p{Cs}]*"))*$/u
const DATA_URL = /^data:[^,]*,/i

const wellFormed: Rule<string> = (value) =>
  value.isWellFormed() ? undefined : 'must be well-formed Unicode: it has a lone surrogate'

const noControls: Rule<string> = (value) =>
  CONTROL.test(value) ? 'must not contain control characters' : undefined

const noControlsInText: Rule<string> = (value) =>
  CONTROL_IN_TEXT.test(value) ? 'must not contain control characters other than tab, line feed and carriage return' : undefined

const notBlank: Rule<string> = (value) => (value.trim() === '' ? 'must not be empty or blank' : undefined)

const notEmpty: Rule<string> = (value) => (value === '' ? 'must not be empty' : undefined)

export const atMostBytes =
  (max: number): Rule<string> =>
  (value) => {
    const bytes = utf8Length(value)
    return bytes > max ? `must have at most ${max} UTF-8 bytes: it has ${bytes}` : undefined
  }

const firstOf =
  <T>(...rules: readonly Rule<T>[]): Rule<T> =>
  (value) => {
    for (const rule of rules) {
      const message = rule(value)
      if (message !== undefined) return message
    }
    return undefined
  }

/** Ids of scopes, sessions, generations and client requests. */
export const idRule: Rule<string> = firstOf(notEmpty, atMostBytes(MAX_ID_BYTES), wellFormed, noControls)

export const titleRule: Rule<string> = firstOf(atMostBytes(MAX_TITLE_BYTES), wellFormed, noControls)

/** Why a scope is fenced, for clients to read. */
export const fenceReasonRule: Rule<string> = firstOf(
  notEmpty,
  atMostBytes(MAX_FENCE_REASON_BYTES),
  wellFormed,
  noControls,
)

export const promptTextRule: Rule<string> = firstOf(notEmpty, wellFormed, noControlsInText)

export const systemRule: Rule<string> = firstOf(notEmpty, atMostBytes(MAX_SYSTEM_BYTES), wellFormed, noControlsInText)

export const modelHintRule: Rule<string> = firstOf(notEmpty, atMostBytes(MAX_MODEL_HINT_BYTES), wellFormed, noControls)

/** What a person says to a model about a call. */
export const messageRule: Rule<string> = firstOf(
  notEmpty,
  atMostBytes(MAX_ERROR_MESSAGE_BYTES),
  wellFormed,
  noControlsInText,
)

export const subagentNameRule: Rule<string> = firstOf(
  notBlank,
  atMostBytes(MAX_SUBAGENT_NAME_BYTES),
  wellFormed,
  noControls,
)

export const subagentDescriptionRule: Rule<string> = firstOf(
  atMostBytes(MAX_SUBAGENT_DESCRIPTION_BYTES),
  wellFormed,
  noControlsInText,
)

export const toolNameRule: Rule<string> = firstOf(notEmpty, atMostBytes(MAX_TOOL_NAME_BYTES), wellFormed, noControls)

export const rememberKeyRule: Rule<string> = firstOf(notEmpty, atMostBytes(MAX_REMEMBER_KEY_BYTES))

export const maxStepsRule: Rule<number> = (value) =>
  Number.isSafeInteger(value) && value >= 1 ? undefined : 'must be a positive integer'

export const filenameRule: Rule<string> = firstOf(notEmpty, atMostBytes(MAX_FILENAME_BYTES), wellFormed, noControls)

export const mediaTypeRule: Rule<string> = (value) =>
  value.length <= MAX_MEDIA_TYPE_LENGTH && MEDIA_TYPE.test(value)
    ? undefined
    : 'must be a media type such as image/png'

export const dataUrlRule: Rule<string> = firstOf<string>(wellFormed, noControls, (value) =>
  DATA_URL.test(value) ? undefined : 'must be a data: URL such as data:text/plain;base64,aGk=',
)

export const metadataRule: Rule<JsonObject> = (value) => {
  if (isDeeper(value, MAX_METADATA_DEPTH)) return `must not be nested deeper than ${MAX_METADATA_DEPTH} levels`
  return atMostBytes(MAX_METADATA_BYTES)(canonicalJson(value))
}

function isDeeper(value: Json, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false
  return levels === 0 || Object.values(value).some((inner: Json) => isDeeper(inner, levels - 1))
}
