import type { LanguageModelUsage } from 'ai'
import type { Usage } from '../domain/run/usage.ts'

/** What a provider counted, as the harness keeps it: what it did not count is 0, and the total is the sum. */
export function usageOf({ inputTokens, outputTokens, ...details }: LanguageModelUsage): Usage {
  const input = count(inputTokens)
  const output = count(outputTokens)
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + output,
    reasoningTokens: count(details.outputTokenDetails.reasoningTokens),
    cachedInputTokens: count(details.inputTokenDetails.cacheReadTokens),
  }
}

const count = (tokens: number | undefined): number =>
  tokens !== undefined && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0
