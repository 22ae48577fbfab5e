import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A process of the bench's, and the questions that it answers. It is killed when its scope ends. */
export interface Child extends AsyncDisposable {
  readonly url: string
  ask(question: string, argument?: unknown): Promise<unknown>
}

/** What the processes send: the answer to the question with this id, or their URL, which has the id 0. */
export interface Answered {
  readonly id: number
  readonly answer?: unknown
  readonly error?: string
}

/** Starts a file of `bench/processes`; resolves when it serves. */
export async function startChild(name: string, ...args: readonly string[]): Promise<Child> {
  const file = fileURLToPath(new URL(`../processes/${name}.ts`, import.meta.url))
  const child = fork(file, args, { execArgv: ['--disable-warning=ExperimentalWarning'] })
  const open = new Map<number, PromiseWithResolvers<unknown>>()
  const serving = Promise.withResolvers<unknown>()
  open.set(0, serving)
  let asked = 0
  child.on('message', ({ id, answer, error }: Answered) => {
    if (error === undefined) open.get(id)?.resolve(answer)
    else open.get(id)?.reject(new Error(error))
    open.delete(id)
  })
  const ended = once(child, 'exit').then(([code]) => {
    for (const { reject } of open.values()) reject(new Error(`The process ${name} ended with ${String(code)}.`))
  })
  return {
    url: String(await serving.promise),
    ask(question, argument) {
      const answer = Promise.withResolvers<unknown>()
      open.set(++asked, answer)
      child.send({ id: asked, question, argument })
      return answer.promise
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}
