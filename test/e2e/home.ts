import { scratchDatabase } from '../support/postgres.ts'
import { scratchFolder, type ServerProcess, startServer } from '../support/server-process.ts'

/** A folder in which nobody has been, and the servers that are started in it, one after another. */
export interface Home extends AsyncDisposable {
  readonly folder: string
  start(): Promise<ServerProcess>
}

export async function newHome(database: 'SQLite' | 'PostgreSQL'): Promise<Home> {
  await using made = new AsyncDisposableStack()
  const { path: folder } = made.use(scratchFolder())
  const scratch = database === 'PostgreSQL' ? made.adopt(await scratchDatabase(), (it) => it.drop()) : undefined
  const kept = made.move()
  return {
    folder,
    start: () => startServer({ folder, ...(scratch && { env: { DATABASE_URL: scratch.url } }) }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
