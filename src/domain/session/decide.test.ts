import { expect, test } from 'vitest'
import { abort, admit, cancel, enqueue, given, promptOf, runOf } from '../../../test/support/content.ts'
import { fold } from '../../kernel/decider.ts'
import { evolve } from './content.ts'
import { decideContent } from './decide.ts'

test('Q16: commands that are asked for together are one change, each deciding on what those before it left', () => {
  const { answer, after, events } = given().when(enqueue('a'), admit('a'), abort('a'))
  expect([answer, after.entries[0]?.state.kind, after.run?.runId]).toEqual(['accepted', 'started', runOf('a')])
  expect(after).toEqual(given(enqueue('a'), admit('a'), abort('a')).content)
  expect(events.length).toBe(2 + 6 + 1)
})

test('Q16: one command that is refused refuses them all', () => {
  const refused = enqueue('b', { whenBusy: 'REJECT' })
  const { answer, events, after, before } = given().when(enqueue('a'), refused, enqueue('c'))
  expect([answer, events]).toEqual(['SESSION_BUSY', []])
  expect(after).toBe(before)
})

test('Q16: commands that change nothing are passed over', () => {
  const { answer, after } = given(enqueue('a')).when(cancel('unknown'), enqueue('b'), admit('b'))
  expect([answer, after.entries.length, after.run]).toEqual(['accepted', 2, null])
})

test('Q16: when none of them changes anything the answer is the last one’s', () => {
  expect(given().when(cancel('unknown'), abort()).decision).toEqual({
    kind: 'unchanged',
    why: 'nothing runs that could still be aborted',
  })
})

test('Q16: a single command is decided alone as together', () => {
  const { content, when } = given(enqueue('a'))
  const { queueId } = enqueue('a')
  const command = { type: 'admit', queueId, prompt: promptOf('a'), runId: runOf('a'), owner: 'a server', at: 7 } as const
  const alone = decideContent(content, command)
  expect(alone).toEqual(when(command).decision)
  expect(alone.kind === 'accepted' && fold(evolve, content, alone.events)).toEqual(when(command).after)
})
