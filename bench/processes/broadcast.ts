/** A bare WebSocket server that sends the same frames to everybody. */
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { WebSocketServer } from 'ws'
import { answerParent } from '../support/answer-parent.ts'

interface Broadcast {
  readonly frame: string
  readonly times: number
}

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false }, () => {
  answerParent(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
    async broadcast(argument) {
      const { frame, times } = argument as Broadcast
      const bytes = Buffer.from(frame)
      for (let sent = 0; sent < times; sent++) {
        for (const client of server.clients) client.send(bytes, { binary: false })
        await setImmediate()
      }
    },
  })
})
