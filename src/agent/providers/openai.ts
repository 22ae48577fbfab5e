import type { LanguageModelV4 } from '@ai-sdk/provider'
import { defaultSettingsMiddleware, wrapLanguageModel } from 'ai'
import type { OpenAiConfig } from '../models-config.ts'
import { FIVE_MINUTES_MS, type Vendor } from './vendor.ts'

export const openai = ({ api = 'responses' }: OpenAiConfig): Vendor => ({
  baseURL: 'https://api.openai.com/v1',
  keyHeader: 'authorization',
  keyVariable: 'OPENAI_API_KEY',
  silenceMs: FIVE_MINUTES_MS,
  load: async (connection) => {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const provider = createOpenAI(connection)
    return (id) => (api === 'chat' ? provider.chat(id) : unstored(provider.responses(id)))
  },
})

/**
 * The same model, which asks OpenAI to keep nothing. What it keeps it forgets after a month, and a conversation that
 * refers to it could not go on. Nor could it be deleted from here.
 */
const unstored = (model: LanguageModelV4): LanguageModelV4 =>
  wrapLanguageModel({
    model,
    middleware: defaultSettingsMiddleware({ settings: { providerOptions: { openai: { store: false } } } }),
  })
