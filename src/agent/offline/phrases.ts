import type { Phrase, Piece, Saying, Turn } from './phrase.ts'
import { quoted } from './quoted.ts'
import { toolPhrases } from './tool-phrases.ts'
import { words } from './words.ts'

const MAX_COUNT = 100_000
const SLOW_MS = 50
const MAX_WAIT_SECONDS = 3_600
const MAX_RECALLED = 50

const think: Saying = {
  form: 'think about X',
  pattern: /^think about (.+)$/is,
  *answer([topic = '']) {
    const thought = `The offline model cannot think about ${quoted(topic)}. This block shows how reasoning arrives.`
    yield* words(thought, 'reasoning')
    yield* words(`I am the offline model: I have no thoughts about ${quoted(topic)}, only this answer.`)
  },
}

const count: Saying = {
  form: 'count to N [slowly]',
  pattern: /^count to (\d+)( slowly)?[.!]?$/i,
  async *answer([to = '', slowly = ''], { clock, signal }) {
    const last = Number(to)
    if (last < 1 || last > MAX_COUNT) {
      yield* words(`I am the offline model: I count to at least 1 and at most ${MAX_COUNT}.`)
      return
    }
    for (let number = 1; number <= last; number++) {
      if (slowly !== '' && number > 1) await clock.sleep(SLOW_MS, signal)
      yield { kind: 'text', text: number === 1 ? '1' : ` ${number}` }
    }
  },
}

const wait: Saying = {
  form: 'wait N seconds',
  pattern: /^wait (?:for )?(\d+(?:\.\d+)?) seconds?[.!]?$/i,
  async *answer([time = ''], { clock, signal }) {
    const seconds = Number(time)
    if (seconds > MAX_WAIT_SECONDS) {
      yield* words(`I am the offline model: I wait at most ${MAX_WAIT_SECONDS} seconds.`)
      return
    }
    yield* words(`The offline model waits ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`)
    await clock.sleep(seconds * 1000, signal)
    yield* words(' and goes on.')
  },
}

const fail: Saying = {
  form: 'fail with MESSAGE',
  pattern: /^fail with (.+)$/is,
  answer([message = '']) {
    throw new Error(message)
  },
}

/** Its group is a fact. */
export const remember: Saying = {
  form: 'remember FACT',
  pattern: /^remember (.+)$/is,
  answer: ([fact = '']) => words(`The offline model keeps in mind: ${quoted(fact)}.`),
}

const recall: Saying = {
  form: 'what did I say',
  pattern: /^what did i say\s*[?.!]?$/i,
  answer: (_, turn) => words(recalled(turn)),
}

/** Everything that the offline model understands, in the order in which it is tried. */
export const phrases: readonly Phrase[] = [
  toolPhrases.list,
  toolPhrases.read,
  toolPhrases.search,
  toolPhrases.write,
  toolPhrases.fetch,
  toolPhrases.calculate,
  think,
  count,
  wait,
  toolPhrases.call,
  toolPhrases.delegate,
  remember,
  fail,
  recall,
]

/** The answer to what it does not understand. */
export const puzzled = (text: string): readonly Piece[] =>
  words(
    `I am the offline model: there is no language model behind this answer. You asked: ${quoted(text)}. ` +
      `I understand, joined by "then": ${phrases.map(({ form }) => form).join(', ')}.`,
  )

function recalled({ facts, said }: Turn): string {
  if (facts.length === 0 && said.length === 0) return 'I am the offline model: this is the first thing that you said.'
  return [
    'I am the offline model, and look it up in our conversation.',
    ...listed('You asked me to remember', facts),
    ...listed('You said', said),
  ].join('\n')
}

const listed = (title: string, texts: readonly string[]): readonly string[] =>
  texts.length === 0 ? [] : [`${title}:`, ...texts.slice(-MAX_RECALLED).map((text) => `- ${quoted(text)}`)]
