import { randomUUID } from 'node:crypto'
import type { Ids } from '../ports/ids.ts'

/** Random version 4 UUIDs of the platform. */
export const systemIds: Ids = { uuid: () => randomUUID() }
