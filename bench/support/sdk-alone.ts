import { streamText } from 'ai'
import { assertLength, type Contender, type RunTimes } from './contender.ts'
import { fakeModel, lengthOfAnswer } from './fake-model.ts'

/** The SDK in this process, and nothing else. */
export function sdkAlone(): Contender {
  const model = fakeModel()
  async function ask(deltas: number): Promise<RunTimes> {
    const start = performance.now()
    let firstDelta: number | undefined
    let length = 0
    for await (const delta of streamText({ model, prompt: String(deltas) }).textStream) {
      firstDelta ??= performance.now() - start
      length += delta.length
    }
    assertLength(length, lengthOfAnswer(deltas))
    const end = performance.now() - start
    return { firstDelta: firstDelta ?? end, end }
  }
  return {
    name: '`ai` SDK alone',
    conversation: async () => ({ ask, [Symbol.asyncDispose]: async () => undefined }),
    [Symbol.asyncDispose]: async () => undefined,
  }
}
