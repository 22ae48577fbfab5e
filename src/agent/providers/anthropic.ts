import { FIVE_MINUTES_MS, type Vendor } from './vendor.ts'

export const anthropic: Vendor = {
  baseURL: 'https://api.anthropic.com/v1',
  keyHeader: 'x-api-key',
  keyVariable: 'ANTHROPIC_API_KEY',
  silenceMs: FIVE_MINUTES_MS,
  load: async (connection) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic(connection)
  },
}
