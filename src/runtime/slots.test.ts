import { expect, test } from 'vitest'
import { type Slot, Slots } from './slots.ts'

test('Q40: there are never more runs than slots, and whoever waits is served in order', () => {
  const slots = new Slots(2)
  const granted: string[] = []
  const held = new Map<string, Slot>()
  const wait = (name: string) =>
    slots.wait((slot) => {
      granted.push(name)
      held.set(name, slot)
    })
  for (const name of ['a', 'b', 'c', 'd', 'e']) wait(name)
  expect(granted).toEqual(['a', 'b'])
  expect(slots.tryTake()).toBeUndefined()
  held.get('b')?.release()
  held.get('b')?.release()
  expect(granted).toEqual(['a', 'b', 'c'])
  held.get('a')?.release()
  held.get('c')?.release()
  expect(granted).toEqual(['a', 'b', 'c', 'd', 'e'])
  held.get('d')?.release()
  held.get('e')?.release()
  expect([slots.tryTake(), slots.tryTake(), slots.tryTake()].map(Boolean)).toEqual([true, true, false])
})

test('nobody overtakes the line, and whoever leaves it is passed over', () => {
  const slots = new Slots(1)
  const slot = slots.tryTake()
  const granted: string[] = []
  const leave = slots.wait(() => granted.push('left'))
  slots.wait(() => granted.push('stayed'))
  leave()
  slot?.release()
  expect(granted).toEqual(['stayed'])
})

test('a closed line grants nothing more', () => {
  const slots = new Slots(1)
  const slot = slots.tryTake()
  const granted: string[] = []
  slots.wait(() => granted.push('waited'))
  slots.close()
  slot?.release()
  slots.wait(() => granted.push('came later'))
  expect(granted).toEqual([])
  expect(slots.tryTake()).toBeUndefined()
})
