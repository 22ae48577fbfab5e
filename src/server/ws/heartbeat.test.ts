import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { virtualClock } from '../../../test/support/virtual-clock.ts'
import { defaultTransportLimits as limits } from '../transport-limits.ts'
import { heartbeat } from './heartbeat.ts'

/** A socket whose client takes frames when the test says so. */
class Line extends EventEmitter {
  readonly OPEN = 1
  readyState = 1
  pings = 0
  isCut = false
  readonly #frames: ((error?: Error) => void)[] = []

  ping(): void {
    this.pings++
  }

  send(_frame: string, taken: (error?: Error) => void): void {
    this.#frames.push(taken)
  }

  terminate(): void {
    this.isCut = true
    this.readyState = 3
  }

  take(error?: Error): void {
    this.#frames.shift()?.(error)
  }
}

function line() {
  const clock = virtualClock()
  const socket = new Line()
  const whys: string[] = []
  const heart = heartbeat({ socket: socket as unknown as WebSocket, clock, limits, onCut: (why) => whys.push(why) })
  return { clock, socket, whys, heart }
}

test('a client that answers pings is kept', async () => {
  const { clock, socket, whys } = line()
  for (let minute = 0; minute < 10; minute++) {
    await clock.advance(limits.pingMs)
    socket.emit('pong')
  }
  expect(socket.pings).toBe(10)
  expect(whys).toEqual([])
})

test('a client that sends messages is kept, whether it answers pings or not', async () => {
  const { clock, socket } = line()
  for (let minute = 0; minute < 10; minute++) {
    await clock.advance(limits.pingMs)
    socket.emit('message')
  }
  expect(socket.isCut).toBe(false)
})

test('a client that says nothing is cut, and its timer is gone', async () => {
  const { clock, socket, whys } = line()
  await clock.advance(limits.stallMs + limits.pingMs)
  expect(socket.isCut).toBe(true)
  expect(whys).toEqual(['it says nothing'])
  expect(clock.pending).toBe(0)
})

test('a client that takes nothing is cut, however much it says', async () => {
  const { clock, socket, whys, heart } = line()
  void heart.send('frame')
  for (let since = 0; since <= limits.stallMs; since += limits.pingMs) {
    await clock.advance(limits.pingMs)
    socket.emit('message')
  }
  expect(whys).toEqual(['it takes nothing'])
})

test('a client that takes a frame now and then is kept', async () => {
  const { clock, socket, heart } = line()
  void heart.send('first')
  for (let frame = 0; frame < 10; frame++) {
    void heart.send('next')
    await clock.advance(limits.pingMs)
    socket.take()
    socket.emit('pong')
  }
  expect(socket.isCut).toBe(false)
})

test('a frame is sent when it was taken, and fails with the socket', async () => {
  const { socket, heart } = line()
  const taken = heart.send('frame')
  socket.take()
  await expect(taken).resolves.toBeUndefined()
  const lost = heart.send('frame')
  socket.take(new Error('gone'))
  await expect(lost).rejects.toThrow('gone')
  socket.terminate()
  await expect(heart.send('frame')).resolves.toBeUndefined()
})

test('nothing is left of a heartbeat that was stopped', () => {
  const { clock, heart } = line()
  heart.stop()
  expect(clock.pending).toBe(0)
})
