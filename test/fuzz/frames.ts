import { randomBytes } from 'node:crypto'

export interface Frame {
  readonly opcode: number
  readonly payload: Buffer
  readonly fin?: 0 | 1
  readonly rsv?: number
  readonly mask?: 'masked' | 'unmasked'
  /** What the header says in place of the true length. */
  readonly length?: bigint
}

const MEDIUM = 126
const LONG = 127
const MASK = 0x80

/** The bytes of a WebSocket frame, whether or not it is allowed. */
export function frameBytes({ opcode, payload, fin = 1, rsv = 0, mask = 'masked', length }: Frame): Buffer {
  const size = length ?? BigInt(payload.length)
  const first = (fin << 7) | ((rsv & 7) << 4) | (opcode & 15)
  const masked = mask === 'masked' ? MASK : 0
  const head = size < BigInt(MEDIUM) ? short(size) : size < 65_536n ? medium(size) : long(size)
  head[0] = first
  head[1] = (head[1] ?? 0) | masked
  if (masked === 0) return Buffer.concat([head, payload])
  const key = randomBytes(4)
  return Buffer.concat([head, key, payload.map((byte, at) => byte ^ (key[at % 4] ?? 0))])
}

const short = (size: bigint): Buffer => Buffer.from([0, Number(size)])

function medium(size: bigint): Buffer {
  const head = Buffer.from([0, MEDIUM, 0, 0])
  head.writeUInt16BE(Number(size), 2)
  return head
}

function long(size: bigint): Buffer {
  const head = Buffer.alloc(10)
  head[1] = LONG
  head.writeBigUInt64BE(BigInt.asUintN(64, size), 2)
  return head
}

export interface Received {
  readonly opcode: number
  readonly payload: Buffer
}

/** The whole frames that a server sent, and what is left. Throws for what no server may send. */
export function framesIn(bytes: Buffer): { readonly frames: readonly Received[]; readonly rest: Buffer } {
  const frames: Received[] = []
  let at = 0
  for (;;) {
    const [first, second] = [bytes[at], bytes[at + 1]]
    if (first === undefined || second === undefined) break
    if ((first & 0xf0) !== 0x80 || (second & MASK) !== 0)
      throw new Error(`The server sent a frame that begins ${first} ${second}.`)
    const size = sizeIn(bytes, at + 1)
    if (!size || bytes.length < size.begin + size.length) break
    frames.push({ opcode: first & 15, payload: bytes.subarray(size.begin, size.begin + size.length) })
    at = size.begin + size.length
  }
  return { frames, rest: bytes.subarray(at) }
}

function sizeIn(bytes: Buffer, at: number): { readonly begin: number; readonly length: number } | undefined {
  const length = bytes[at] ?? 0
  if (length < MEDIUM) return { begin: at + 1, length }
  if (length === MEDIUM)
    return bytes.length < at + 3 ? undefined : { begin: at + 3, length: bytes.readUInt16BE(at + 1) }
  return bytes.length < at + 9 ? undefined : { begin: at + 9, length: Number(bytes.readBigUInt64BE(at + 1)) }
}
