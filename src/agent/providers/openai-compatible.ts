import type { OpenAiCompatibleConfig } from '../models-config.ts'
import type { Vendor } from './vendor.ts'

const THIRTY_MINUTES_MS = 30 * 60_000

export const openAiCompatible = (
  name: string,
  { baseURL, includeUsage = true }: OpenAiCompatibleConfig,
): Vendor => ({
  baseURL,
  keyHeader: 'authorization',
  keyVariable: null,
  silenceMs: THIRTY_MINUTES_MS,
  load: async (connection) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const provider = createOpenAICompatible({ ...connection, name, includeUsage })
    return (id) => provider.chatModel(id)
  },
})
