/*
 * Keeps one WebSocket honest: pings it, and cuts it when the client has said nothing for `stallMs`, not even the answer
 * to a ping, or has taken nothing of what waits for it for as long. Owns the one timer of the socket until `stop`.
 */
import type { WebSocket } from 'ws'
import type { Clock } from '../../ports/clock.ts'
import type { TransportLimits } from '../transport-limits.ts'

export interface Heartbeat {
  /** Sends a frame; resolves when the operating system has taken it, so whoever awaits it goes at the client's pace. */
  send(frame: string): Promise<void>
  stop(): void
}

export interface Heart {
  readonly socket: WebSocket
  readonly clock: Clock
  readonly limits: TransportLimits
  /** Told why, before the socket is cut. */
  readonly onCut: (why: string) => void
}

export function heartbeat({ socket, clock, limits, onCut }: Heart): Heartbeat {
  let heardAt = clock.monotonic()
  let takenAt = heardAt
  let waiting = 0

  const heard = (): void => {
    heardAt = clock.monotonic()
  }
  const isOverdue = (since: number): boolean => clock.monotonic() - since >= limits.stallMs
  const complaint = (): string | undefined => {
    if (waiting > 0 && isOverdue(takenAt)) return 'it takes nothing'
    return isOverdue(heardAt) ? 'it says nothing' : undefined
  }
  const beat = (): void => {
    const why = complaint()
    if (why !== undefined) {
      onCut(why)
      socket.terminate()
      return
    }
    if (socket.readyState === socket.OPEN) socket.ping()
    cancel = clock.after(limits.pingMs, beat)
  }
  let cancel = clock.after(limits.pingMs, beat)
  socket.on('message', heard)
  socket.on('pong', heard)

  return {
    send(frame) {
      if (socket.readyState !== socket.OPEN) return Promise.resolve()
      if (waiting === 0) takenAt = clock.monotonic()
      waiting++
      return new Promise((resolve, reject) => {
        socket.send(frame, (error) => {
          waiting--
          takenAt = clock.monotonic()
          if (error) reject(error)
          else resolve()
        })
      })
    },
    stop: () => cancel(),
  }
}
