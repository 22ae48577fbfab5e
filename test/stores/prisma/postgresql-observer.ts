import pg from 'pg'

/** A connection beside those of the stores. */
export async function connected(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

/** Waits until so many statements in this database wait for locks. Answers the processes that do. */
export async function untilSomebodyWaits(client: pg.Client, count = 1): Promise<readonly number[]> {
  for (;;) {
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    if (rows.length >= count) return rows.map(({ pid }) => pid)
  }
}
