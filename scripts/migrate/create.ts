// `npm run migration:create -- NAME`: writes the migration of each provider that lacks something the models say.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { LOCKFILE, lockfileOf } from './migration-list.ts'
import { migrationsOf, missingSql } from './missing-sql.ts'
import { providerNames } from './providers.ts'

const [name = ''] = process.argv.slice(2)
if (!/^[a-z][a-z0-9_]*$/.test(name)) {
  console.error('Say what the migration does: npm run migration:create -- add_session_title')
  process.exit(1)
}

const second = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14) // the order of migrations is that of their names
await Promise.all(
  providerNames.map(async (provider) => {
    const sql = await missingSql(provider)
    if (sql === undefined) {
      console.log(`The ${provider} migrations are what the models say: nothing to create`)
      return
    }
    const folder = migrationsOf(provider)
    const file = path.join(folder, `${second}_${name}`, 'migration.sql')
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, sql)
    writeFileSync(path.join(folder, LOCKFILE), lockfileOf(provider))
    console.log(`Created ${path.relative(process.cwd(), file)}`)
  }),
)
