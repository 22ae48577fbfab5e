import type { SchemaContainer } from '@prisma/schema-engine-wasm'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Provider } from '../../src/stores/prisma/migrate/migrations-folder.ts'
import { migrationList } from './migration-list.ts'
import { providers } from './providers.ts'
import { withSchemaEngine } from './schema-engine.ts'

/** Where the models, the datasources and the migrations of all providers are. */
export const prismaFolder = path.join(import.meta.dirname, '../../prisma')

export const migrationsOf = (provider: Provider, folder = prismaFolder): string =>
  path.join(folder, 'migrations', provider)

/** The models as the provider sees them. */
export function schemaOf(provider: Provider, folder = prismaFolder): SchemaContainer[] {
  const files = ['models.prisma', `${provider}/datasource.prisma`].map((file) => path.join(folder, file))
  return files.map((file) => ({ path: file, content: readFileSync(file, 'utf8') }))
}

/** What is still to be migrated before the database is as the models say; undefined when nothing is. */
export function missingSql(provider: Provider, folder = prismaFolder): Promise<string | undefined> {
  const schema = schemaOf(provider, folder)
  return withSchemaEngine(schema, providers[provider](), async (engine) => {
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'migrations', ...migrationList(migrationsOf(provider, folder), provider) },
      to: { tag: 'schemaDatamodel', files: schema },
      script: true,
      exitCode: true,
      filters: { externalTables: [], externalEnums: [] },
    })
    return exitCode === 0 ? undefined : (stdout ?? '')
  })
}
