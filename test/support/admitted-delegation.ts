import type { EventType } from '../../src/domain/event/event.ts'
import { type SessionId, asSessionId } from '../../src/kernel/ids.ts'
import { childrenOf, delegate, delegating, type WorldOptions } from './delegating.ts'
import { ManualAdmission } from './manual-admission.ts'
import { type Script, textOf } from './scripted-runs.ts'
import type { World } from './world.ts'

export interface Admitting {
  readonly world: World
  readonly admission: ManualAdmission
}

/** A world whose application has a say in delegated runs, by the hands of a test. */
export async function admitting(options: WorldOptions = {}): Promise<Admitting> {
  const admission = new ManualAdmission()
  return { world: await delegating({ delegatedRunAdmission: admission, ...options }), admission }
}

/** Prompts the root session to delegate to a child that does what the script says. */
export async function delegated(world: World, script: Script): Promise<void> {
  await world.prompt(textOf(delegate({ to: 'researcher', script })))
}

/** The id of the only child of the root session. */
export async function childId(world: World): Promise<SessionId> {
  const [child, ...others] = await childrenOf(world)
  if (!child || others.length > 0) throw new Error('There is not one child.')
  return child.sessionId
}

/** How the last prompt of a session ended: its status, and the code and source of its error. */
export async function endOf(world: World, id: string): Promise<string> {
  const state = (await world.entries(id)).toSorted((a, b) => b.ordinal - a.ordinal)[0]?.state
  if (state?.kind !== 'finished') return state?.kind ?? 'none'
  return [state.status, state.error?.code, state.error?.source].filter((text) => text !== undefined).join(' ')
}

/** What was told of the child, without the creation of its session. */
export async function toldOf(world: World, id: string): Promise<readonly EventType[]> {
  const events = await world.events()
  return events.flatMap(({ sessionId, body }) =>
    sessionId === asSessionId(id) && body.type !== 'session.created' ? [body.type] : [],
  )
}

/** Checks that of the child there is a prompt and nothing else: no run, no message, no event of one. */
export async function expectNothingBegun(world: World, id: string): Promise<void> {
  const [runs, messages, told] = [await world.runs(id), await world.conversation(id), await toldOf(world, id)]
  const begun = told.filter((type) => !type.startsWith('prompt.'))
  if (runs.length + messages.length + begun.length > 0 || told.includes('prompt.started')) {
    throw new Error(`Something began: ${runs.length} runs, ${messages.length} messages, ${told.join(', ')}.`)
  }
}
