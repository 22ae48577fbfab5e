import type { Answered } from './child.ts'

interface Asked {
  readonly id: number
  readonly question: string
  readonly argument: unknown
}

type Answers = Readonly<Record<string, (argument: unknown) => unknown>>

/** Milliseconds of CPU that this process has used. */
function cpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const send = (answered: Answered): void => void process.send?.(answered)

/** Tells the process that started this one where it serves, and answers its questions. Ends with it. */
export function answerParent(url: string, answers: Answers): void {
  const all: Answers = { cpu, ...answers }
  const answer = async ({ id, question, argument }: Asked): Promise<void> => {
    try {
      send({ id, answer: await all[question]?.(argument) })
    } catch (error) {
      send({ id, error: String(error) })
    }
  }
  process.on('message', (asked: Asked) => void answer(asked))
  process.once('disconnect', () => process.exit())
  send({ id: 0, answer: url })
}
