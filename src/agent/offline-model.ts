import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { ModelIdentity } from '../domain/run/run.ts'
import { LinkedController } from '../kernel/abort.ts'
import type { Clock } from '../ports/clock.ts'
import { answer, toolsOf } from './offline/answer.ts'
import { generated } from './offline/generated.ts'

export const offlineIdentity: ModelIdentity = { provider: 'offline', id: 'offline' }

/**
 * A language model without a language model: it understands a few phrases, answers the same to the same, and says what
 * it is. It implements the provider interface of the SDK, so that it runs through the same path as any other.
 */
export function offlineModel(clock: Clock): LanguageModelV4 {
  const doStream = async (options: LanguageModelV4CallOptions) => {
    const { prompt, abortSignal } = options
    const reading = new LinkedController(...(abortSignal ? [abortSignal] : []))
    return { stream: streamOf(answer({ prompt, tools: toolsOf(options), clock, signal: reading.signal }), reading) }
  }
  return {
    specificationVersion: 'v4',
    provider: offlineIdentity.provider,
    modelId: offlineIdentity.id,
    supportedUrls: {},
    doStream,
    doGenerate: async (options) => generated((await doStream(options)).stream),
  }
}

/** Nothing is made before it is asked for. Aborts `reading` when nobody reads any more. */
function streamOf(
  parts: AsyncGenerator<LanguageModelV4StreamPart>,
  reading: LinkedController,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream(
    {
      async pull(controller) {
        const next = await parts.next()
        if (!next.done) return controller.enqueue(next.value)
        reading[Symbol.dispose]()
        controller.close()
      },
      cancel: (reason) => reading.abort(reason),
    },
    { highWaterMark: 0 },
  )
}
