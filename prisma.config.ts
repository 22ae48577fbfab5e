import { defineConfig } from 'prisma/config'

const url = process.env['DATABASE_URL']
const provider = url?.startsWith('postgres') ? 'postgresql' : 'sqlite'

// Prisma downloads a schema engine for every command, yet only these use it. Any executable is good enough for the rest.
const usesEngine = ['migrate', 'db'].includes(process.argv[2] ?? '')
if (!usesEngine) process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath

/** For operators: `DATABASE_URL=… npx prisma migrate deploy` does what the server does when it starts. */
export default defineConfig({
  schema: `prisma/${provider}`,
  migrations: { path: `prisma/migrations/${provider}` },
  ...(url === undefined ? {} : { datasource: { url } }),
})
