import type { LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { setImmediate } from 'node:timers/promises'

/** A network brings some deltas at a time, and lets others run in between. */
const DELTAS_PER_BREATH = 16
const DELTA = ' token'

/** How long the answer is that the fake provider gives. */
export const lengthOfAnswer = (deltas: number): number => DELTA.length * deltas

/** A provider that takes no time: it streams as many deltas as the newest prompt says, which is a number. */
export function fakeModel(): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'deltas',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('This provider only streams.')),
    doStream: async ({ prompt }) => ({ stream: streamOf(answer(deltasAsked(prompt))) }),
  }
}

function deltasAsked(prompt: LanguageModelV4Prompt): number {
  const content = prompt.findLast(({ role }) => role === 'user')?.content ?? ''
  const parts = typeof content === 'string' ? [content] : content.map((part) => (part.type === 'text' ? part.text : ''))
  const text = parts.join('')
  const deltas = Number(text)
  if (!Number.isSafeInteger(deltas)) throw new Error(`${JSON.stringify(text)} is no number of deltas.`)
  return deltas
}

async function* answer(deltas: number): Parts {
  yield { type: 'stream-start', warnings: [] }
  yield { type: 'text-start', id: '0' }
  for (let index = 0; index < deltas; index++) {
    if (index % DELTAS_PER_BREATH === 0) await setImmediate()
    yield { type: 'text-delta', id: '0', delta: DELTA }
  }
  yield { type: 'text-end', id: '0' }
  yield { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: usageOf(deltas) }
}

const usageOf = (deltas: number) => ({
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: deltas, text: deltas, reasoning: 0 },
})

type Parts = AsyncGenerator<LanguageModelV4StreamPart, undefined>

const streamOf = (parts: Parts): ReadableStream<LanguageModelV4StreamPart> =>
  new ReadableStream({
    async pull(controller) {
      const next = await parts.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
  })
