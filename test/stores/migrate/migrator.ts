// A process of its own that migrates: `migrator.ts FILE FOLDER`.
import { migrateSqlite } from '../../../src/stores/prisma/migrate/migrate-sqlite.ts'
import { readMigrations } from '../../../src/stores/prisma/migrate/migration.ts'

const [file = '', folder = ''] = process.argv.slice(2)
await migrateSqlite(file, readMigrations(folder))
