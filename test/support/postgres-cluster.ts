import { execFile } from 'node:child_process'
import { chown, mkdtemp, rm, stat } from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { postgresUrl } from './postgres.ts'
import type { Owner } from './small-disk.ts'

const run = promisify(execFile)

/** A PostgreSQL server of its own, for what would disturb others: a checkpoint that fails, fails for all databases. */
export interface PostgresCluster extends AsyncDisposable {
  readonly url: string
  /** Whose its files must be. */
  readonly owner: Owner
}

interface Installation {
  readonly programs: string
  readonly owner: Owner
}

/** Fails where this process may not start one as the user that PostgreSQL runs as. */
export async function postgresCluster(): Promise<PostgresCluster> {
  const { programs, owner } = await installation()
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flexharness-cluster-'))
  await chown(folder, owner.uid, owner.gid)
  const data = path.join(folder, 'data')
  const call = (program: string, ...args: readonly string[]) =>
    run(path.join(programs, program), ['-D', data, ...args], { ...owner, cwd: folder })
  const port = await freePort()
  await call('initdb', '--username=postgres', '--auth=trust', '--no-sync')
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`
  await call('pg_ctl', 'start', '--wait', '-l', path.join(folder, 'log'), '-o', options)
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    owner,
    async [Symbol.asyncDispose]() {
      await call('pg_ctl', 'stop', '--wait', '--mode=immediate')
      await rm(folder, { recursive: true })
    },
  }
}

/** Whether one can be had; says so on stderr when not. */
export async function canHavePostgresClusters(): Promise<boolean> {
  try {
    await using _ = await postgresCluster()
    return true
  } catch (error) {
    process.emitWarning(`no PostgreSQL server of its own can be started (${String(error)})`, 'SKIPPED')
    return false
  }
}

/** Where the server of the tests has its programs and who it runs as, if it is on this machine. */
async function installation(): Promise<Installation> {
  const client = new pg.Client({ connectionString: await postgresUrl() })
  await client.connect()
  try {
    const { rows } = await client.query<{ programs: string; data: string }>(
      `SELECT setting AS programs, current_setting('data_directory') AS data FROM pg_config WHERE name = 'BINDIR'`,
    )
    const { programs = '', data = '' } = rows[0] ?? {}
    const { uid, gid } = await stat(data)
    return { programs, owner: { uid, gid } }
  } finally {
    await client.end()
  }
}

async function freePort(): Promise<number> {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as net.AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
