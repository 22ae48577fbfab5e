import fc from 'fast-check'
import { exampleOperations } from '../graphql/example-operations.ts'
import { anything, hostileText } from './hostile.ts'
import { requests } from './documents.ts'
import { frameBytes } from './frames.ts'

/** What a client does next. */
export type Step =
  | { readonly does: 'send'; readonly what: string; readonly bytes: Buffer }
  /** Lets the server answer. */
  | { readonly does: 'wait' }

const TEXT = 1
const BINARY = 2
const CLOSE = 8
const PING = 9
const PONG = 10

const sent = (what: string, ...bytes: readonly Buffer[]): Step => ({ does: 'send', what, bytes: Buffer.concat(bytes) })

const text = (message: string): Buffer => frameBytes({ opcode: TEXT, payload: Buffer.from(message) })

const ids = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('1', '2', '3') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '__proto__',
      'constructor',
      'toString',
      'x'.repeat(256),
      'x'.repeat(257),
      '\0',
      7,
      null,
    ),
  },
)

const SUBSCRIPTIONS = [
  'subscription { events(scopeId: "default") { __typename } }',
  'subscription { events(scopeId: "default", sessionId: "s", types: [RUN_FINISHED]) { __typename cursor } }',
  'subscription { events(scopeId: "default", after: "x") { __typename } }',
  'subscription { events(scopeId: "nothing", sessionId: "s") { __typename } }',
  'subscription { liveRun(scopeId: "default", sessionId: "s") { runId status messages { id } } }',
  'subscription { liveRun(scopeId: "default", sessionId: "t") { runId status } }',
]

const OPERATIONS = [
  '{ __typename }',
  '{ harness { version } }',
  '{ scope(id: "") { id } }',
  'mutation { createSession(input: { scopeId: "default" }) { __typename } }',
  'mutation { enqueuePrompt(input: { scopeId: "default", sessionId: "s", text: "x" }) { __typename } }',
  'mutation { abortRun(input: { scopeId: "default", sessionId: "s" }) { __typename } }',
]

const payloads: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...SUBSCRIPTIONS).map((query) => ({ query })) },
  { weight: 3, arbitrary: fc.constantFrom(...OPERATIONS).map((query) => ({ query })) },
  { weight: 2, arbitrary: requests },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...exampleOperations)
      .map(({ source, variables, name }) => ({ query: source, variables, operationName: name, extensions: {} })),
  },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        query: fc.oneof(fc.constant('{ __typename }'), anything),
        variables: anything,
        operationName: anything,
        extensions: anything,
      },
      { requiredKeys: [] },
    ),
  },
)

const optionalPayload = fc.oneof(fc.constant({}), fc.record({ payload: anything }))

/** Messages of the protocol, in whatever order, and what looks like them. */
const messages: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 2, arbitrary: optionalPayload.map((rest) => ({ type: 'connection_init', ...rest })) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom('ping', 'pong'), optionalPayload).map(([type, rest]) => ({ type, ...rest })),
  },
  { weight: 8, arbitrary: fc.tuple(ids, payloads).map(([id, payload]) => ({ id, type: 'subscribe', payload })) },
  { weight: 4, arbitrary: ids.map((id) => ({ id, type: 'complete' })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('next', 'error', 'connection_ack', 'connection_terminate', 'start', '', '__proto__', 7, null),
        ids,
        anything,
      )
      .map(([type, id, payload]) => ({ id, type, payload })),
  },
  { weight: 1, arbitrary: anything },
)

const protocolSteps: fc.Arbitrary<Step> = messages.map((message) => {
  const words = JSON.stringify(message)
  return sent(words.slice(0, 300), text(words))
})

const anyBytes = fc.uint8Array({ maxLength: 140 }).map((bytes) => Buffer.from(bytes))

/** Without 1011: its echo could not be told from a close that blames the server. */
const codes = fc.constantFrom(0, 999, 1000, 1001, 1004, 1005, 1006, 1012, 1015, 2999, 3000, 4400, 4999, 5000, 65_535)

const closePayloads = fc.oneof(
  fc.constantFrom(Buffer.alloc(0), Buffer.from([3]), Buffer.from([3, 232, 0xff])),
  fc.tuple(codes, hostileText).map(([code, reason]) => {
    const payload = Buffer.alloc(2)
    payload.writeUInt16BE(code)
    return Buffer.concat([payload, Buffer.from(reason)]).subarray(0, 125)
  }),
)

/** A message in pieces, perhaps with something in between, perhaps not to its end. */
const fragmented = fc
  .tuple(messages, fc.integer({ min: 2, max: 5 }), fc.constantFrom('nothing', 'ping', 'text'), fc.boolean())
  .map(([message, count, between, isWhole]) => {
    const payload = Buffer.from(JSON.stringify(message))
    const size = Math.max(1, Math.ceil(payload.length / count))
    const pieces = Array.from({ length: count }, (_, index) => payload.subarray(index * size, (index + 1) * size))
    const frames = pieces.flatMap((piece, index) => [
      frameBytes({ opcode: index === 0 ? TEXT : 0, fin: isWhole && index === count - 1 ? 1 : 0, payload: piece }),
      ...(between === 'ping' ? [frameBytes({ opcode: PING, payload: Buffer.from('p') })] : []),
      ...(between === 'text' && index === 0 ? [text('{"type":"ping"}')] : []),
    ])
    return sent(`in ${count} pieces with ${between} in between`, ...frames)
  })

/** Frames that are rare, or forbidden. */
const frameSteps: fc.Arbitrary<Step> = fc.oneof(
  anyBytes.map((payload) => sent('text of any bytes', frameBytes({ opcode: TEXT, payload }))),
  messages.map((message) =>
    sent('a binary message', frameBytes({ opcode: BINARY, payload: Buffer.from(JSON.stringify(message)) })),
  ),
  anyBytes.map((payload) => sent('binary', frameBytes({ opcode: BINARY, payload }))),
  fragmented,
  anyBytes.map((payload) => sent('ping', frameBytes({ opcode: PING, payload: payload.subarray(0, 125) }))),
  anyBytes.map((payload) => sent('pong', frameBytes({ opcode: PONG, payload: payload.subarray(0, 125) }))),
  closePayloads.map((payload) => sent(`close ${payload.toString('hex')}`, frameBytes({ opcode: CLOSE, payload }))),
  anyBytes.map((bytes) => sent('bytes that are no frame', bytes)),
  fc
    .integer({ min: 1, max: 7 })
    .map((rsv) => sent(`rsv ${rsv}`, frameBytes({ opcode: TEXT, rsv, payload: Buffer.from('{"type":"ping"}') }))),
  fc
    .constantFrom(3, 7, 11, 15)
    .map((opcode) => sent(`opcode ${opcode}`, frameBytes({ opcode, payload: Buffer.from('x') }))),
  fc.constant(
    sent('unmasked', frameBytes({ opcode: TEXT, mask: 'unmasked', payload: Buffer.from('{"type":"ping"}') })),
  ),
  fc.constant(sent('continuation of nothing', frameBytes({ opcode: 0, payload: Buffer.from('x') }))),
  fc
    .constantFrom(CLOSE, PING, PONG)
    .map((opcode) => sent(`control ${opcode} in pieces`, frameBytes({ opcode, fin: 0, payload: Buffer.from('x') }))),
  fc
    .constantFrom(CLOSE, PING, PONG)
    .map((opcode) => sent(`long control ${opcode}`, frameBytes({ opcode, payload: Buffer.alloc(126) }))),
  fc
    .constantFrom(4n * 1024n * 1024n, 4n * 1024n * 1024n + 1n, 2n ** 31n, 2n ** 53n, 2n ** 64n - 1n)
    .map((length) =>
      sent(`announces ${length}`, frameBytes({ opcode: TEXT, length, payload: Buffer.alloc(1_000, 'x') })),
    ),
  fc.constant(sent('five MiB', frameBytes({ opcode: TEXT, payload: Buffer.alloc(5 * 1024 * 1024, 'x') }))),
  fc
    .integer({ min: 1, max: 60 })
    .map((at) =>
      sent('a frame that breaks off', text('{"type":"ping","payload":{"x":"xxxxxxxxxxxxxxxxxxxx"}}').subarray(0, at)),
    ),
)

const wait = fc.constant<Step>({ does: 'wait' })

/** Well-formed frames: what matters is what they say, and when. */
export const protocolSequences: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.integer({ min: 0, max: 9 }),
    fc.array(fc.oneof({ weight: 4, arbitrary: protocolSteps }, { weight: 1, arbitrary: wait }), { maxLength: 14 }),
  )
  .map(([greeting, steps]) => (greeting === 0 ? steps : [hello, ...steps]))

/** Frames of all kinds between messages. */
export const frameSequences: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.boolean(),
    fc.array(
      fc.oneof(
        { weight: 2, arbitrary: protocolSteps },
        { weight: 2, arbitrary: frameSteps },
        { weight: 1, arbitrary: wait },
      ),
      { maxLength: 8 },
    ),
    frameSteps,
  )
  .map(([isGreeted, steps, last]) => [...(isGreeted ? [hello] : []), ...steps, last])

const hello = sent('connection_init', text('{"type":"connection_init"}'))
