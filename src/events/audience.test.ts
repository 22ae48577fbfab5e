import { expect, test } from 'vitest'
import type { SessionKey } from '../kernel/ids.ts'
import { pathBelow } from '../domain/session/session.ts'
import { Audience, listensTo } from './audience.ts'

const root = pathBelow('', 1)
const child = pathBelow(root, 2)
const grandchild = pathBelow(child, 3)
const stranger = pathBelow('', 11)

const everywhere = { name: 'everywhere', subscription: {} }
const at = (name: string, path: string, includeDescendants: boolean) => ({
  name,
  subscription: { session: { key: 1 as SessionKey, path, includeDescendants } },
})
const listeners = [
  everywhere,
  at('root alone', root, false),
  at('root and below', root, true),
  at('root and below, too', root, true),
  at('child alone', child, false),
  at('grandchild and below', grandchild, true),
  at('stranger', stranger, true),
]

function audience() {
  const them = new Audience<(typeof listeners)[number]>()
  for (const listener of listeners) them.add(listener)
  return them
}
const names = (path: string, them = audience()) => them.of(path).map(({ name }) => name).toSorted()

test('E7: an event is heard by those who listen to its session, to one above it, or to the whole scope', () => {
  expect(names(root)).toEqual(['everywhere', 'root alone', 'root and below', 'root and below, too'])
  expect(names(child)).toEqual(['child alone', 'everywhere', 'root and below', 'root and below, too'])
  expect(names(grandchild)).toEqual(['everywhere', 'grandchild and below', 'root and below', 'root and below, too'])
  expect(names(stranger)).toEqual(['everywhere', 'stranger'])
})

test('looking up and asking each listener agree', () => {
  for (const path of [root, child, grandchild, stranger]) {
    const asked = listeners.filter(({ subscription }) => listensTo(subscription, path)).map(({ name }) => name)
    expect(names(path)).toEqual(asked.toSorted())
  }
})

test('who has left hears nothing, and may leave twice', () => {
  const them = audience()
  for (const listener of [...listeners, ...listeners]) {
    them.delete(listener)
    expect(names(root, them)).not.toContain(listener.name)
  }
  expect([root, child, grandchild, stranger].flatMap((path) => names(path, them))).toEqual([])
})
