import fc from 'fast-check'
import type { World } from '../support/world.ts'
import { plant } from './planted.ts'

/** For each session the place of its parent among those before it; null for a root. */
export type Shape = readonly (number | null)[]

/** Up to 14 sessions, up to eight levels below a root. */
export const shapes: fc.Arbitrary<Shape> = fc
  .array(fc.option(fc.nat(), { freq: 6 }), { minLength: 1, maxLength: 14 })
  .map((picks) => picks.map((pick, i) => (i === 0 || pick === null ? null : pick % i)))
  .filter((shape) => shape.every((_, i) => lineOf(shape, i).length <= 8))

/** A session as a forest has it. */
export interface Grown {
  readonly id: string
  readonly parent: string | null
  /** Those above it, the root first. */
  readonly line: readonly string[]
  /** Its children, oldest first. */
  readonly kids: readonly string[]
  /** All below it, each parent before its children, siblings oldest first. */
  readonly depths: readonly { readonly id: string; readonly depth: number }[]
}

const idOf = (place: number): string => `s${place}`

function lineOf(shape: Shape, place: number): readonly number[] {
  const parent = shape[place] ?? null
  return parent === null ? [] : [...lineOf(shape, parent), parent]
}

const kidsOf = (shape: Shape, place: number): readonly number[] =>
  shape.flatMap((parent, i) => (parent === place ? [i] : []))

const belowOf = (shape: Shape, place: number): readonly number[] =>
  kidsOf(shape, place).flatMap((kid) => [kid, ...belowOf(shape, kid)])

/** Creates the sessions of a forest, one after another, each later than the one before. Tells what they must tell. */
export async function sprout(world: World, shape: Shape): Promise<readonly Grown[]> {
  for (const [place, parent] of shape.entries()) {
    const at = world.clock.now() + place
    if (parent === null) await world.session(idOf(place))
    else await plant(world.stores, { parent: await world.load(idOf(parent)), id: idOf(place), at, agent: 'nobody' })
  }
  return shape.map((parent, place) => ({
    id: idOf(place),
    parent: parent === null ? null : idOf(parent),
    line: lineOf(shape, place).map(idOf),
    kids: kidsOf(shape, place).map(idOf),
    depths: belowOf(shape, place).map((inner) => ({ id: idOf(inner), depth: lineOf(shape, inner).length })),
  }))
}
