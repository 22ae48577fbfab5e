import { expect, test } from 'vitest'
import { accepted, decide, type DecisionTable, eventsOf, fold, type Machine, refused, unchanged } from './decider.ts'

type Door = { readonly kind: 'open' } | { readonly kind: 'shut'; readonly locked: boolean }
type Command = { readonly type: 'open' } | { readonly type: 'shut'; readonly by: string }
type Event = { readonly type: 'opened' } | { readonly type: 'shut'; readonly by: string }

const door: Machine<Door, Command, Event, string> = {
  table: {
    open: { open: () => unchanged('it is open'), shut: (_, { by }) => accepted({ type: 'shut', by }) },
    shut: {
      open: ({ locked }) => (locked ? refused('it is locked') : accepted({ type: 'opened' })),
      shut: () => unchanged('it is shut'),
    },
  },
  evolve: (_, event) =>
    event.type === 'opened' ? { kind: 'open' } : { kind: 'shut', locked: event.by === 'the owner' },
}

test('K7: the cell of the state and the command decides, and sees both', () => {
  expect(decide(door, { kind: 'open' }, { type: 'open' })).toEqual({ kind: 'unchanged', why: 'it is open' })
  expect(decide(door, { kind: 'open' }, { type: 'shut', by: 'me' })).toEqual(accepted({ type: 'shut', by: 'me' }))
  expect(decide(door, { kind: 'shut', locked: true }, { type: 'open' })).toEqual(refused('it is locked'))
  expect(decide(door, { kind: 'shut', locked: false }, { type: 'open' })).toEqual(accepted({ type: 'opened' }))
  expect(decide(door, { kind: 'shut', locked: false }, { type: 'shut', by: 'me' })).toEqual(unchanged('it is shut'))
})

test('K7: a table without one of its cells, or without a row, does not compile', () => {
  const { open, shut } = door.table
  // @ts-expect-error a row is missing
  const withoutRow: DecisionTable<Door, Command, Event, string> = { open }
  // @ts-expect-error a cell is missing
  const withoutCell: DecisionTable<Door, Command, Event, string> = { open, shut: { open: shut.open } }
  expect([Object.keys(withoutRow), Object.keys(withoutCell.shut)]).toEqual([['open'], ['open']])
})

test('K7: only what is accepted has events', () => {
  expect(eventsOf(accepted('a', 'b'))).toEqual(['a', 'b'])
  expect(eventsOf(accepted())).toEqual([])
  expect(eventsOf(unchanged('nothing to do'))).toEqual([])
  expect(eventsOf(refused('no'))).toEqual([])
})

test('a fold takes the events in their order', () => {
  const start: Door = { kind: 'open' }
  expect(fold(door.evolve, start, [])).toBe(start)
  expect(fold(door.evolve, start, [{ type: 'shut', by: 'me' }, { type: 'opened' }])).toEqual({ kind: 'open' })
  expect(fold(door.evolve, start, [{ type: 'opened' }, { type: 'shut', by: 'the owner' }])).toEqual({
    kind: 'shut',
    locked: true,
  })
})
