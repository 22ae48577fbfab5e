import { FIVE_MINUTES_MS, type Vendor } from './vendor.ts'

export const gateway: Vendor = {
  baseURL: 'https://ai-gateway.vercel.sh/v4/ai',
  keyHeader: 'authorization',
  keyVariable: 'AI_GATEWAY_API_KEY',
  silenceMs: FIVE_MINUTES_MS,
  load: async (connection) => {
    const { createGateway } = await import('ai')
    return createGateway(connection)
  },
}
