import fc from 'fast-check'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { same } from '../simulation/law-broken.ts'
import { expectIdle } from '../simulation/laws/settled-laws.ts'
import { expectNothing, type Expectations, sessionNames } from './expectation.ts'
import { Subject } from './subject.ts'

/** Row keys are the stores' own business, and how events of two sessions lie among each other is a matter of luck. */
const OWN: ReadonlySet<string> = new Set(['key', 'sessionKey', 'scopeKey', 'rootKey', 'parentKey', 'sequence'])

/**
 * Carries out commands beside the reference model, lets everything end, and gives what can be seen of it from outside:
 * the answers, the events of each session and its rows, one line each. Ids are numbered in the order in which they appear.
 */
export async function perform(
  commands: Iterable<fc.AsyncCommand<Expectations, Subject>>,
  stores: Stores,
  storageKey: string,
): Promise<readonly string[]> {
  const subject = new Subject(stores, storageKey)
  await subject.open()
  await fc.asyncModelRun(() => ({ model: expectNothing(), real: subject }), commands)
  await finish(subject)
  const states = []
  for (const name of sessionNames) states.push(await subject.state(name))
  for (const state of states) expectIdle(state)
  const events = await subject.events()
  same(events.map(({ sequence }) => sequence), events.map((_, index) => index + 1), 'C5: events are numbered without gaps')
  const told = sessionNames.flatMap((name) => events.filter(({ sessionId }) => sessionId === name))
  const rows = states.flatMap(({ session, ...kinds }) => [session, ...Object.values(kinds).flat()])
  return numbered([...subject.answers, ...told, ...rows])
}

async function finish(subject: Subject): Promise<void> {
  subject.beBrief()
  for (const name of sessionNames) {
    if ((await subject.state(name)).session.work.kind !== 'idle') subject.call(name).fail(new Error('The end.'))
  }
  await subject.clock.advance(1_000)
}

function numbered(values: readonly unknown[]): readonly string[] {
  const names = new Map<string, string>()
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `id ${names.size + 1}`
    names.set(id, name)
    return name
  }
  const shown = (value: unknown): string =>
    JSON.stringify(value, (key, field: unknown) => (OWN.has(key) ? undefined : sorted(field)))
  return values.map((value) => shown(value).replaceAll(/id-[a-z0-9]+-\d+/g, nameOf))
}

const sorted = (value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
