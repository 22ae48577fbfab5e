import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'

export type ProviderPart = LanguageModelV4StreamPart

export interface ScriptedModel extends LanguageModelV4 {
  /** What it was asked. */
  readonly calls: readonly LanguageModelV4CallOptions[]
}

export const finish: Extract<ProviderPart, { type: 'finish' }> = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: {
    inputTokens: { total: 7, noCache: 4, cacheRead: 3, cacheWrite: undefined },
    outputTokens: { total: 5, text: 3, reasoning: 2 },
  },
}

export const text = (...deltas: readonly string[]): readonly ProviderPart[] => [
  { type: 'text-start', id: '0' },
  ...deltas.map((delta): ProviderPart => ({ type: 'text-delta', id: '0', delta })),
  { type: 'text-end', id: '0' },
]

/** A provider that streams exactly these parts, well formed or not; an Error among them breaks the stream. */
export function scriptedModel(...parts: readonly (ProviderPart | Error)[]): ScriptedModel {
  const calls: LanguageModelV4CallOptions[] = []
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'model',
    supportedUrls: {},
    calls,
    doGenerate: () => Promise.reject(new Error('only streams')),
    doStream: async (options) => {
      calls.push(options)
      return { stream: streamOf(parts) }
    },
  }
}

function streamOf(parts: readonly (ProviderPart | Error)[]): ReadableStream<ProviderPart> {
  const left = parts.values()
  return new ReadableStream({
    pull(controller) {
      const { done, value } = left.next()
      if (done === true) controller.close()
      else if (value instanceof Error) controller.error(value)
      else controller.enqueue(value)
    },
  })
}
