import { expect } from 'vitest'
import type { LogBody } from '../../../src/domain/log/entry.ts'
import { contractSuite } from '../support/contract-suite.ts'
import { insertLog, logOf } from '../support/rows.ts'

const bodies: readonly LogBody[] = [
  { kind: 'input', text: 'Hello', attachments: [{ mediaType: 'text/plain', filename: null, url: 'data:,a' }] },
  { kind: 'step', output: { z: [1, -0.5, 1e300, null, true, { b: {}, a: [] }], a: 'text' } },
  { kind: 'step', output: null },
  { kind: 'outcome', outcome: 'ACCEPTED', status: 'COMPLETED', error: null },
  { kind: 'outcome', outcome: 'REJECTED', status: 'FAILED', error: { code: 'A', message: 'b', source: 'model' } },
]

export const logSuite = contractSuite('agent log', (test) => {
  test('C22: entries come back as they were put in, key order of documents included', async (world) => {
    const { stores, commit, create } = world
    const session = await create()
    const entries = bodies.map((body, index) => logOf(session, index, { body }))
    await commit({ rows: entries.map(insertLog) })
    const read = await stores.log.read(session.key, 0, 100)
    expect(read).toEqual(entries)
    expect(JSON.stringify(read.map(({ body }) => body))).toBe(JSON.stringify(bodies))
  })

  test('C22: entries are read by index, from any one on', async ({ stores, commit, create }) => {
    const [session, other] = [await create(), await create()]
    const rows = Array.from({ length: 12 }, (_, i) => insertLog(logOf(session, i)))
    await commit({ rows: [...rows.toReversed(), insertLog(logOf(other, 0))] })
    const indexes = async (from: number, limit: number) =>
      (await stores.log.read(session.key, from, limit)).map(({ index }) => index)
    expect(await indexes(0, 100)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    expect(await indexes(0, 3)).toEqual([0, 1, 2])
    expect(await indexes(9, 2)).toEqual([9, 10])
    expect(await indexes(11, 5)).toEqual([11])
    expect(await indexes(12, 5)).toEqual([])
    expect(await stores.log.read(other.key, 0, 5)).toEqual([logOf(other, 0)])
  })
})
