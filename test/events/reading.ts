import type { EventUpdate } from '../../src/ports/subscriptions.ts'

/** What an update says, in short: `part.created 3`, `0 + "Hel" = 3`, `all "Hello" = 5`, `advanced 7`, `is THINKING`. */
function labelOf(update: EventUpdate): string {
  switch (update.type) {
    case 'event':
      return `${update.event.body.type} ${update.event.sequence}`
    case 'delta':
      return `${update.delta.baseBytes} + ${JSON.stringify(update.delta.delta)} = ${update.delta.totalBytes}`
    case 'snapshot':
      return `all ${JSON.stringify(update.text)} = ${update.totalBytes}`
    case 'activity':
      return `is ${update.activity.kind}`
    case 'advanced':
      return `advanced ${update.sequence}`
  }
}

/** The next update. Fails when the stream has ended. */
export async function nextOf(updates: AsyncIterator<EventUpdate>): Promise<EventUpdate> {
  const result = await updates.next()
  if (result.done === true) throw new Error('The stream has ended.')
  return result.value
}

/** The next `count` updates, in short. */
export async function labels(updates: AsyncIterator<EventUpdate>, count: number): Promise<readonly string[]> {
  const read: string[] = []
  while (read.length < count) read.push(labelOf(await nextOf(updates)))
  return read
}

/** The sequences of the next `count` events; updates that are no events are left out. */
export async function sequences(updates: AsyncIterator<EventUpdate>, count: number): Promise<readonly number[]> {
  const read: number[] = []
  while (read.length < count) {
    const update = await nextOf(updates)
    if (update.type === 'event') read.push(update.event.sequence)
  }
  return read
}

export interface Asked {
  /** The update in short, `over` when the stream has ended, undefined while there is no answer. */
  readonly answer: () => string | undefined
  readonly done: Promise<string>
}

/** A call of `next()` that can be looked at without waiting for it. */
export function asked(updates: AsyncIterator<EventUpdate>): Asked {
  let answer: string | undefined
  const done = updates.next().then((result) => {
    answer = result.done === true ? 'over' : labelOf(result.value)
    return answer
  })
  done.catch(() => undefined)
  return { answer: () => answer, done }
}

export const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)
