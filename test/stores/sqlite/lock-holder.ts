// Holds the lock of a database, `lock-holder.ts FILE`, says so, and stays. It forgets the lock, which must not lose it.
import { writeSync } from 'node:fs'
import { FileLock } from '../../../src/stores/prisma/sqlite/file-lock.ts'

FileLock.acquire(`file:${process.argv[2] ?? ''}`)
globalThis.gc?.()
writeSync(1, 'held\n')
process.stdin.resume()
