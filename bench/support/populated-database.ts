import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { prismaStores } from '../../src/stores/prisma/prisma-stores.ts'
import { readMigrations } from '../../src/stores/prisma/migrate/migration.ts'
import { migrationsFolder } from '../../src/stores/prisma/migrate/migrations-folder.ts'
import { type Population, populate } from './population.ts'
import { dataFolder } from './scratch.ts'
import { timed } from './timed.ts'

/** The path of a SQLite file with a population, which is made when it is not there yet for this schema. */
export async function populatedDatabase(population: Population): Promise<string> {
  const { sessions, turns } = population
  const schema = readMigrations(migrationsFolder('sqlite')).at(-1)?.name ?? 'none'
  const file = path.join(dataFolder, `${schema}-${sessions}-sessions-${turns}-turns.db`)
  if (existsSync(file)) return file
  const unfinished = `${file}.unfinished`
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${unfinished}${suffix}`, { force: true })
  mkdirSync(dataFolder, { recursive: true })
  const stores = await prismaStores({ url: `file:${unfinished}` })
  const elapsed = await timed(() => populate(stores, population))
  await stores.close()
  renameSync(unfinished, file)
  console.error(`Filled a database with ${sessions} sessions in ${Math.round(elapsed / 1000)} s.`)
  return file
}
