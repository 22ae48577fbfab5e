import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import { RunSlot } from './run-slot.ts'
import { type Slot, Slots } from './slots.ts'

const clock = virtualClock()
const never = new AbortController().signal

/** The only slot that there is, and the run that has it. */
function running() {
  const slots = new Slots(1)
  const run = new RunSlot(slots, slots.tryTake())
  return { slots, run }
}

/** Something that a run waits for, and whether the run has gone on after it. */
function asking(run: RunSlot, signal = never) {
  const { promise, resolve: answer } = Promise.withResolvers<string>()
  const state = { isDone: false }
  const result = run.whileWaiting(signal, promise).then((it) => {
    state.isDone = true
    return it
  })
  return { answer: () => answer('yes'), result, state }
}

/** Another run that stands in line for its first slot. */
function newcomer(slots: Slots) {
  const held: Slot[] = []
  slots.wait((slot) => void held.push(slot))
  return held
}

test('X28: a run gives its slot up while it waits, and has it back before it goes on', async () => {
  const { slots, run } = running()
  const { answer, result } = asking(run)
  expect(run.isIdle).toBe(true)
  const other = slots.tryTake()
  expect(other).toBeDefined()
  other?.release()
  answer()
  expect(await result).toBe('yes')
  expect([run.isIdle, slots.tryTake()]).toEqual([false, undefined])
})

test('X28: a run keeps its slot as long as any piece of it is at work', async () => {
  const { slots, run } = running()
  run.split(3)
  const pieces = [asking(run), asking(run)]
  expect([run.isIdle, slots.tryTake()]).toEqual([false, undefined])
  run.join()
  expect(run.isIdle).toBe(true)
  slots.tryTake()?.release()
  pieces[0]?.answer()
  await pieces[0]?.result
  expect([run.isIdle, slots.tryTake()]).toEqual([false, undefined])
  run.join()
  expect(run.isIdle).toBe(true)
  pieces[1]?.answer()
  await pieces[1]?.result
  run.join()
  expect([run.isIdle, slots.tryTake()]).toEqual([false, undefined])
})

test('X28: what is answered together comes back together, into one slot', async () => {
  const { slots, run } = running()
  run.split(2)
  const pieces = [asking(run), asking(run)]
  const other = slots.tryTake()
  for (const { answer } of pieces) answer()
  await clock.settle()
  expect(pieces.map(({ state }) => state.isDone)).toEqual([false, false])
  other?.release()
  await clock.settle()
  expect(pieces.map(({ state }) => state.isDone)).toEqual([true, true])
  run.release()
  expect([slots.tryTake(), slots.tryTake()].map(Boolean)).toEqual([true, false])
})

test('X28: a run comes back ahead of those that have not begun', async () => {
  const { slots, run } = running()
  const { answer, state } = asking(run)
  const other = slots.tryTake()
  const newcomers = newcomer(slots)
  answer()
  await clock.settle()
  expect(state.isDone).toBe(false)
  other?.release()
  await clock.settle()
  expect([state.isDone, newcomers.length]).toEqual([true, 0])
  run.release()
  expect(newcomers.length).toBe(1)
})

test('a run that comes without a slot gets one ahead of those that have not begun', async () => {
  const { slots, run: first } = running()
  const run = new RunSlot(slots, undefined)
  const newcomers = newcomer(slots)
  const entered = run.enter(never)
  await clock.settle()
  first.release()
  await entered
  expect(newcomers.length).toBe(0)
  run.release()
  expect(newcomers.length).toBe(1)
})

test('what fails while it is waited for fails after the run has come back', async () => {
  const { slots, run } = running()
  const { promise, reject } = Promise.withResolvers<string>()
  const result = run.whileWaiting(never, promise)
  const other = slots.tryTake()
  reject(new Error('no'))
  other?.release()
  await expect(result).rejects.toThrow('no')
  expect(slots.tryTake()).toBeUndefined()
})

test('X28: a run that is aborted before the answer, or while it stands in line, goes on without a slot', async () => {
  const { slots, run } = running()
  const controller = new AbortController()
  run.split(2)
  const [inLine, waiting] = [asking(run, controller.signal), asking(run, controller.signal)]
  const other = slots.tryTake()
  inLine.answer()
  await clock.settle()
  expect(inLine.state.isDone).toBe(false)
  controller.abort()
  await clock.settle()
  waiting.answer()
  await clock.settle()
  expect([inLine.state.isDone, waiting.state.isDone]).toEqual([true, true])
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  other?.release()
  expect(slots.tryTake()).toBeDefined()
})

test('X28: a run that is aborted in the turn of its answer leaves the line, and takes no slot later', async () => {
  const { slots, run } = running()
  const controller = new AbortController()
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  const result = run.whileWaiting(controller.signal, promise)
  const other = slots.tryTake()
  answer()
  // As soon as the run stands in line.
  await promise
  controller.abort()
  await result
  run.release()
  other?.release()
  expect(slots.tryTake()).toBeDefined()
})

test.each(['stands in line', 'waits'])('a run that is over while a piece of it %s takes no slot any more', async (when) => {
  const { slots, run } = running()
  const { answer, state } = asking(run)
  const other = slots.tryTake()
  if (when === 'stands in line') answer()
  await clock.settle()
  run.release()
  answer()
  await clock.settle()
  expect(state.isDone).toBe(true)
  other?.release()
  expect(slots.tryTake()).toBeDefined()
})

test('giving a slot up twice gives it up once', () => {
  const { slots, run } = running()
  run.release()
  run.release()
  expect([slots.tryTake(), slots.tryTake()].map(Boolean)).toEqual([true, false])
})

test('R105: who watches a run hears of every change between working and waiting, and that it is over', async () => {
  const { slots, run } = running()
  const turns: string[] = []
  const unwatch = run.watch((turn) => void turns.push(turn))
  const { answer, result } = asking(run)
  const other = slots.tryTake()
  answer()
  await clock.settle()
  expect(turns).toEqual(['at work', 'waiting'])
  other?.release()
  await result
  expect(turns).toEqual(['at work', 'waiting', 'at work'])
  unwatch()
  run.release()
  expect(turns).toEqual(['at work', 'waiting', 'at work', 'waiting'])
})

test('R105: a run without a slot is not at work before it has one, nor when it is over', () => {
  const slots = new Slots(1)
  const run = new RunSlot(slots, undefined)
  const turns: string[] = []
  const unwatch = run.watch((turn) => void turns.push(turn))
  expect(turns).toEqual([])
  void run.enter(never)
  expect(turns).toEqual(['at work'])
  run.release()
  unwatch()
  expect(turns).toEqual(['at work', 'waiting'])
})
