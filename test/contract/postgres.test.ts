import { describe } from 'vitest'
import { prismaStores } from '../../src/stores/prisma/prisma-stores.ts'
import { postgresUrl, scratchDatabase } from '../support/postgres.ts'
import { describeContract } from './support/describe-contract.ts'

const server = await postgresUrl()

describe.skipIf(server === undefined)('PostgreSQL', () => {
  describeContract(async () => {
    const database = await scratchDatabase()
    const stores = await prismaStores({ url: database.url })
    const dispose = async () => {
      await stores.close()
      await database.drop()
    }
    return { stores, dispose }
  })
})
