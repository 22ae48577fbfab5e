import { startChild } from './child.ts'
import { assertLength, type Contender, type RunTimes } from './contender.ts'
import { lengthOfAnswer } from './fake-model.ts'

const END_OF_EVENT = '\n\n'
const DATA = 'data: '

/** The SDK in a bare HTTP server, a process of its own, which this one asks. */
export async function bareStream(): Promise<Contender> {
  const child = await startChild('bare-stream')
  async function ask(deltas: number): Promise<RunTimes> {
    const start = performance.now()
    const response = await fetch(child.url, { method: 'POST', body: JSON.stringify({ text: String(deltas) }) })
    let firstDelta: number | undefined
    let length = 0
    let unread = ''
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = (unread + text).split(END_OF_EVENT)
      unread = events.pop() ?? ''
      for (const event of events) {
        const { delta } = JSON.parse(event.slice(DATA.length)) as { readonly delta: string }
        firstDelta ??= performance.now() - start
        length += delta.length
      }
    }
    assertLength(length, lengthOfAnswer(deltas))
    const end = performance.now() - start
    return { firstDelta: firstDelta ?? end, end }
  }
  return {
    name: 'SDK behind a bare HTTP server',
    conversation: async () => ({ ask, [Symbol.asyncDispose]: async () => undefined }),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}
