import type { ModelIdentity } from '../domain/run/run.ts'
import { UnknownModelError } from '../ports/unknown-model-error.ts'

const PROVIDER = /^[a-z][a-z0-9_-]*$/i
/** A name without control characters and without blanks around it. */
const ID = /^(?!\s)\P{Cc}+(?<!\s)$/u

/** Whether it may stand before the colon. */
export const isProviderName = (name: string): boolean => PROVIDER.test(name)

/** Reads `provider:model`, where the model may contain colons. Throws an `UnknownModelError` when it is malformed. */
export function parseModelName(name: string): ModelIdentity {
  const colon = name.indexOf(':')
  const [provider, id] = [name.slice(0, Math.max(0, colon)), name.slice(colon + 1)]
  if (!isProviderName(provider) || !ID.test(id)) {
    throw new UnknownModelError(`${JSON.stringify(name)} names no model: write provider:model, such as ollama:qwen3.`)
  }
  return { provider, id }
}

/** The inverse of `parseModelName`. */
export const modelName = ({ provider, id }: ModelIdentity): string => `${provider}:${id}`
