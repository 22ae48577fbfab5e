import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { describeContract } from './support/describe-contract.ts'

describeContract(async () => {
  const stores = memoryStores({ clock: systemClock, isShared: true })
  return { stores, dispose: () => stores.close() }
})
