import { expect, test } from 'vitest'
import {
  abort,
  admit,
  beginTool,
  childWith,
  conclude,
  delegateTool,
  endStep,
  endTool,
  enqueue,
  given,
  openTool,
  resolve,
  resume,
  runOf,
  type Step,
} from '../../../test/support/content.ts'
import { asGenerationId, asQueueId, asSessionKey } from '../../kernel/ids.ts'
import type { Content } from '../session/content.ts'
import type { Place } from '../session/session.ts'
import { type Claim, whyDisowned } from './ownership.ts'

const child = childWith()
const called = [enqueue('a'), admit('a'), resolve(), openTool(0, { effect: 'child' }), endStep()] as const
const waiting = [...called, beginTool(0), delegateTool(0, child)] as const

const contentOf = (...steps: readonly Step[]): Content => given(...steps).content

function claimWith(fields: Partial<Claim> = {}, place: Partial<Place> = {}): Claim {
  const parent = contentOf(...waiting)
  const { session } = parent
  return {
    child: {
      key: child.sessionKey,
      place: { ...session.place, parentKey: session.key, depth: 1, agent: 'writer', ...place },
    },
    queueId: child.queueId,
    delegation: {
      parentKey: session.key,
      parentSessionId: session.sessionId,
      parentGeneration: session.generation,
      parentQueueId: asQueueId('a'),
      parentRunId: runOf('a'),
      toolCallId: 'call 0',
    },
    parent,
    definitions: [{ name: 'writer', description: 'Writes.' }],
    maxDepth: 1,
    ...fields,
  }
}

test('G66: a prompt belongs to the call that waits for it, also while its run is being resumed', () => {
  expect(whyDisowned(claimWith())).toBeUndefined()
  expect(whyDisowned(claimWith({ parent: contentOf(...waiting, resume()) }))).toBeUndefined()
})

const { delegation } = claimWith()
const { generation } = contentOf().session
const other = { ...contentOf(...waiting), session: { ...contentOf(...waiting).session, generation: { ...generation, generationId: asGenerationId('b') } } }
const finalizing = contentOf(...waiting)

test.each<[what: string, claim: Claim, why: string]>([
  ['its parent is gone', claimWith({ parent: undefined }), 'does not exist any more'],
  ['its parent was replaced', claimWith({ parent: other }), 'was replaced'],
  ['it has another parent', claimWith({}, { parentKey: asSessionKey(7) }), 'is no child'],
  ['it is at another depth', claimWith({}, { depth: 3 }), 'is no child'],
  ['it is too deep by now', claimWith({ maxDepth: 0 }), 'as deep'],
  ['its agent is gone', claimWith({ definitions: [] }), 'no such subagent'],
  ['it has another agent', claimWith({}, { agent: 'painter' }), 'no such subagent'],
  ['the run has ended', claimWith({ parent: contentOf(...waiting, conclude()) }), 'has ended'],
  ['another run goes on', claimWith({ delegation: { ...delegation, parentRunId: runOf('b') } }), 'has ended'],
  ['it was another prompt', claimWith({ delegation: { ...delegation, parentQueueId: asQueueId('b') } }), 'has ended'],
  ['the prompt of the run is gone', claimWith({ parent: { ...finalizing, entries: [] } }), 'has ended'],
  ['the run is being stopped', claimWith({ parent: contentOf(...waiting, abort()) }), 'is being stopped'],
  ['the call has ended', claimWith({ parent: contentOf(...waiting, endTool(0)) }), 'the call that delegated it has ended'],
  ['another call waits', claimWith({ delegation: { ...delegation, toolCallId: 'call 1' } }), 'the call that delegated it has ended'],
  ['the call has no child', claimWith({ parent: contentOf(...called, beginTool(0)) }), 'the call that delegated it has ended'],
  ['the call has not begun', claimWith({ parent: contentOf(...called) }), 'the call that delegated it has ended'],
  ['the call waits for another session', claimWith({ child: { ...claimWith().child, key: asSessionKey(8) } }), 'has ended'],
  ['the call waits for another prompt', claimWith({ queueId: asQueueId('b') }), 'has ended'],
  [
    'the outcome of the run is decided',
    claimWith({
      parent: finalizing.run && {
        ...finalizing,
        run: { ...finalizing.run, state: { kind: 'finalizing', outcome: { status: 'COMPLETED' }, generated: true } },
      } || undefined,
    }),
    'ends',
  ],
])('G66: a prompt belongs to nobody when %s', (_, claim, why) => {
  expect(whyDisowned(claim)).toContain(why)
})
