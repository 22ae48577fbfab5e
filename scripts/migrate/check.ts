// `npm run migration:check`: fails when the models say more, or less, than the migrations of a provider do.
import { missingSql } from './missing-sql.ts'
import { providerNames } from './providers.ts'

const missing = await Promise.all(providerNames.map(async (provider) => ({ provider, sql: await missingSql(provider) })))
for (const { provider, sql } of missing) {
  if (sql === undefined) continue
  console.error(`The ${provider} migrations are not what the models say. This is missing:\n\n${sql}`)
  process.exitCode = 1
}
if (process.exitCode === 1) console.error('Run `npm run migration:create -- NAME`.')
else console.log(`The migrations are what the models say: ${providerNames.join(', ')}`)
