import { describe, expect, test } from 'vitest'
import { NodeSqlite } from '../../../src/stores/prisma/sqlite/node-sqlite.ts'
import { LoopMeter } from './loop-meter.ts'
import { query } from './query.ts'
import { scratchFile } from './scratch-file.ts'

const inMemory = () => new NodeSqlite({ url: ':memory:' }).connect()
const cause = (kind: string) => ({ name: 'DriverAdapterError', cause: { kind } })

describe('a transaction of the adapter', () => {
  test('has savepoints that nest, and takes nothing after its end', async () => {
    const adapter = await inMemory()
    await adapter.executeScript('CREATE TABLE t (a)')
    const tx = await adapter.startTransaction()
    const insert = (value: number) => tx.executeRaw(query('INSERT INTO t VALUES (?)', value))
    await insert(1)
    await tx.createSavepoint?.('one')
    await insert(2)
    await tx.createSavepoint?.('two')
    await insert(3)
    await tx.rollbackToSavepoint?.('two')
    await tx.releaseSavepoint?.('two')
    await tx.releaseSavepoint?.('one')
    await tx.createSavepoint?.('three')
    await insert(4)
    await tx.rollbackToSavepoint?.('three')
    await tx.commit()
    expect((await adapter.queryRaw(query('SELECT a FROM t'))).rows).toEqual([[1], [2]])
    await expect(insert(5)).rejects.toMatchObject(cause('TransactionAlreadyClosed'))
    await tx.rollback()
    await adapter.dispose()
  })

  test('of 12,000 statements leaves room for timers', async () => {
    const adapter = await inMemory()
    await adapter.executeScript('CREATE TABLE t (a)')
    const tx = await adapter.startTransaction()
    const meter = new LoopMeter(1)
    const insert = `INSERT INTO t SELECT value FROM json_each('[0,1,2,3,4,5,6,7,8,9]')`
    await Promise.all(Array.from({ length: 12_000 }, () => tx.executeRaw(query(insert))))
    meter.stop()
    expect(meter.ticks).toBeGreaterThanOrEqual(3)
    await tx.rollback()
    await adapter.dispose()
  })

  test('commits after everything that was sent before', async () => {
    const adapter = await inMemory()
    await adapter.executeScript('CREATE TABLE t (a)')
    const tx = await adapter.startTransaction()
    const notAwaited = tx.executeRaw(query('INSERT INTO t VALUES (1)'))
    await tx.commit()
    expect(await notAwaited).toBe(1)
    expect((await adapter.queryRaw(query('SELECT a FROM t'))).rows).toEqual([[1]])
    await adapter.dispose()
  })

  test('is SERIALIZABLE only', async () => {
    const adapter = await inMemory()
    await expect(adapter.startTransaction('READ COMMITTED')).rejects.toMatchObject(cause('InvalidIsolationLevel'))
    await adapter.dispose()
  })
})

describe('a script', () => {
  test('may hold transactions and PRAGMAs, and a failing one leaves neither', async () => {
    const adapter = await new NodeSqlite({ url: scratchFile() }).connect()
    await adapter.executeScript(
      `PRAGMA foreign_keys=OFF; BEGIN; CREATE TABLE a (x); INSERT INTO a VALUES ('a;b'); COMMIT; -- end`,
    )
    const failing = 'PRAGMA foreign_keys=OFF; BEGIN; INSERT INTO a VALUES (2); INSERT INTO nope VALUES (1); COMMIT'
    await expect(adapter.executeScript(failing)).rejects.toMatchObject(cause('TableDoesNotExist'))
    const state = query('SELECT count(*), (SELECT foreign_keys FROM pragma_foreign_keys) FROM a')
    expect((await adapter.queryRaw(state)).rows).toEqual([[1, 1]])
    await adapter.dispose()
  })

  test('may come as a raw statement without arguments', async () => {
    const adapter = await inMemory()
    expect(await adapter.executeRaw(query('CREATE TABLE b (x); INSERT INTO b VALUES (1);'))).toBe(0)
    expect((await adapter.queryRaw(query('SELECT x FROM b'))).rows).toEqual([[1]])
    await adapter.dispose()
  })
})

describe('a connection', () => {
  test('finishes what waits when it is closed, and then refuses', async () => {
    const adapter = await inMemory()
    await adapter.executeScript('CREATE TABLE a (x)')
    const waiting = adapter.executeRaw(query('INSERT INTO a VALUES (3)'))
    await adapter.dispose()
    await adapter.dispose()
    expect(await waiting).toBe(1)
    await expect(adapter.queryRaw(query('SELECT 1'))).rejects.toMatchObject(cause('ConnectionClosed'))
    await expect(adapter.startTransaction()).rejects.toMatchObject(cause('ConnectionClosed'))
  })

  test('to a folder that does not exist fails', async () => {
    const nowhere = new NodeSqlite({ url: `file:${scratchFile('missing/x.db')}` })
    await expect(nowhere.connect()).rejects.toMatchObject(cause('DatabaseNotReachable'))
  })

  test('to the shadow database is one in memory', async () => {
    const factory = new NodeSqlite({ url: `file:${scratchFile()}` })
    const adapter = await factory.connect()
    await adapter.executeScript('CREATE TABLE a (x)')
    const shadow = await factory.connectToShadowDb()
    await expect(shadow.queryRaw(query('SELECT * FROM a'))).rejects.toMatchObject(cause('TableDoesNotExist'))
    await shadow.dispose()
    await adapter.dispose()
  })
})
