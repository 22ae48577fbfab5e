import fc from 'fast-check'
import { expect, test } from 'vitest'
import { delegate, delegating, say, treeOf } from '../support/delegating.ts'
import { type Script, textOf } from '../support/scripted-runs.ts'
import type { World } from '../support/world.ts'
import { Api, at, type Data, nodesOf } from './api.ts'

/** Each session says something, or delegates to as many subagents at once as there are lists, each with its own. */
interface Branch {
  readonly below: readonly Branch[]
}

/** Of up to nine sessions, each after the one that delegates to it. */
const branches: fc.Arbitrary<Branch> = fc.array(fc.nat(), { minLength: 1, maxLength: 8 }).map((picks) => {
  const parents = picks.map((pick, i) => pick % (i + 1))
  const grown = (place: number): Branch => ({
    below: parents.flatMap((parent, i) => (parent === place ? [grown(i + 1)] : [])),
  })
  return grown(0)
})

const scriptOf = ({ below }: Branch, name: string): Script =>
  below.length === 0
    ? say(`${name} has nothing to delegate`)
    : delegate(...below.map((branch, i) => ({ to: 'writer', script: scriptOf(branch, `${name}.${i}`) })))

const depthOf = ({ below }: Branch): number => (below.length === 0 ? 0 : 1 + Math.max(...below.map(depthOf)))

const MESSAGE = `messageId sessionId role parts { partId status ... on TextPart { text } ... on ToolPart { output childSession { sessionId } } }`
const LIVE = `subscription { liveRun(scopeId: "default", sessionId: "s") { runId status messages { ${MESSAGE} } } }`
const STORED = `query ($id: ID!) { session(scopeId: "default", sessionId: $id) {
  runs { edges { node { runId messages { edges { node { ${MESSAGE} } } } } } }
} }`

/** What the models of a world do takes them these times, again and again, instead of none. */
function slowed(world: World, times: readonly number[]): void {
  const { onCall } = world.models
  let calls = 0
  world.models.onCall = (call) => {
    world.clock.after(times[calls++ % times.length] ?? 1, () => onCall?.(call))
  }
}

/** All updates of a live run that begins now, and then whenever something happens. */
function follow(api: Api) {
  const updates: Data[] = []
  const done = (async () => {
    const feed = await api.watch(LIVE)
    for (let next = await feed.next(); next; next = await feed.next()) updates.push(at(next.data, 'liveRun') as Data)
  })()
  return { updates, done }
}

/** Each message as it was shown last. */
const lastShown = (updates: readonly Data[]): ReadonlyMap<unknown, Data> =>
  new Map(updates.flatMap(({ messages }) => messages as readonly Data[]).map((message) => [message['messageId'], message]))

test('A100: whenever a live run begins, it has shown in the end all messages of all runs of the tree, as they are stored', async () => {
  const times = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 })
  const starts = fc.array(fc.integer({ min: 0, max: 2_000 }), { minLength: 1, maxLength: 4 })
  const trees = branches.filter((branch) => depthOf(branch) <= 3)
  await fc.assert(
    fc.asyncProperty(trees, times, starts, async (tree, pauses, beginnings) => {
      const world = await delegating({ limits: { maxSubagentDepth: 3 } })
      const api = new Api(world.harness)
      // An earlier run, with a child, of which nothing may be shown.
      await world.prompt(textOf(delegate({ to: 'researcher', script: say('before') })))
      slowed(world, pauses)
      await world.enqueue(textOf(scriptOf(tree, 'root')))
      const followed: ReturnType<typeof follow>[] = []
      let now = 0
      for (const start of beginnings.toSorted((a, b) => a - b)) {
        await world.clock.advance(start - now)
        now = start
        followed.push(follow(api))
      }
      await world.clock.advance(60_000)
      await Promise.all(followed.map(({ done }) => done))

      const stored = new Map<unknown, unknown>()
      for (const { sessionId } of await treeOf(world)) {
        const { session } = await api.data(STORED, { id: sessionId })
        const [run] = nodesOf(at(session, 'runs'))
        for (const message of nodesOf(run?.['messages'])) stored.set(message['messageId'], message)
      }
      const before = (await treeOf(world)).find(({ place }) => place.agent === 'researcher')?.sessionId
      const expected = new Map([...stored].filter(([, message]) => at(message, 'sessionId') !== before))
      for (const { updates } of followed) {
        expect(updates.at(-1)?.['status']).toBe('COMPLETED')
        expect(new Set(updates.map(({ runId }) => runId)).size).toBe(1)
        expect(lastShown(updates)).toEqual(expected)
      }
    }),
    { numRuns: 40 },
  )
}, 120_000)
