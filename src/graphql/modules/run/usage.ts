import { builder } from '../../builder.ts'
import type { RunRow } from '../../facade-types.ts'

export const Usage = builder.objectRef<RunRow['usage']>('Usage').implement({
  description: 'Tokens as the model providers counted them.',
  fields: (t) => ({
    inputTokens: t.expose('inputTokens', {
      type: 'SafeInt',
      description: 'Tokens that the models read, cached ones included.',
    }),
    outputTokens: t.expose('outputTokens', {
      type: 'SafeInt',
      description: 'Tokens that the models wrote, reasoning included.',
    }),
    totalTokens: t.expose('totalTokens', {
      type: 'SafeInt',
      description: 'Tokens in all, as the providers reported the sum.',
    }),
    reasoningTokens: t.expose('reasoningTokens', {
      type: 'SafeInt',
      description: 'Those of the output that are reasoning.',
    }),
    cachedInputTokens: t.expose('cachedInputTokens', {
      type: 'SafeInt',
      description: 'Those of the input that came from a cache of the provider.',
    }),
  }),
})
