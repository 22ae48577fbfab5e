import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { prismaStores } from '../../src/stores/prisma/prisma-stores.ts'
import { describeContract } from './support/describe-contract.ts'

describeContract(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flexharness-contract-'))
  const stores = await prismaStores({ url: `file:${path.join(folder, 'contract.db')}` })
  const dispose = async () => {
    await stores.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { stores, dispose }
})
