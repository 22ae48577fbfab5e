import { defaultSettingsMiddleware, wrapLanguageModel } from 'ai'
import type { GoogleConfig } from '../models-config.ts'
import { FIVE_MINUTES_MS, type Vendor } from './vendor.ts'

export const google = ({ reasoning = 'none' }: GoogleConfig): Vendor => ({
  baseURL: 'https://generativelanguage.googleapis.com/v1beta',
  keyHeader: 'x-goog-api-key',
  keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY',
  silenceMs: FIVE_MINUTES_MS,
  load: async (connection) => {
    const { createGoogle } = await import('@ai-sdk/google')
    const provider = createGoogle(connection)
    if (reasoning === 'none') return provider
    return (id) => wrapLanguageModel({ model: provider(id), middleware: thoughts })
  },
})

/** Gemini thinks in silence unless asked to show it. */
const thoughts = defaultSettingsMiddleware({
  settings: { providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } },
})
