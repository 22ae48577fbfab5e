/**
 * Stands between clients and a PostgreSQL server, passes on what both say message by message, and does to a statement
 * what the test wants done to it. What it holds back is not lost: as in a network that comes back, it is delivered
 * later, also when the client has gone by then.
 */
import net from 'node:net'
import type { Fault, FaultPlan } from './postgres-fault.ts'
import { ProxiedConnection } from './proxied-connection.ts'

export interface PostgresProxy extends AsyncDisposable {
  readonly url: string
  /** What is done from now on; nothing at first. */
  plan: FaultPlan
  /** The next statement whose text begins like this suffers it. */
  arm(text: string, fault: Fault): void
  /** From now on connections are accepted and bytes are taken, and nothing gets through, not even the end of one. */
  blackHole(): void
  /** Ends the black hole. What was held in it gets through. */
  heal(): void
  /** Cuts every connection there is, and resolves when clients have noticed. */
  cutAll(): Promise<void>
  /** Connections that clients have to the proxy. */
  readonly clients: number
  /** Resolves when nothing is held back and the server has left every client that has gone. */
  settled(): Promise<void>
}

export async function postgresProxy(url: string): Promise<PostgresProxy> {
  const target = new URL(url)
  const connections = new Set<ProxiedConnection>()
  let waiting: (() => void)[] = []
  let isDark = false

  const isSettled = () => [...connections].every((connection) => connection.isSettled)
  const changed = () => {
    for (const connection of connections) if (connection.isOver) connections.delete(connection)
    if (!isSettled()) return
    for (const resolve of waiting) resolve()
    waiting = []
  }
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(target.port || 5432), target.hostname)
    const plan: FaultPlan = (sql) => proxy.plan(sql)
    connections.add(new ProxiedConnection({ client, upstream, plan, isDark: () => isDark, changed }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxied = new URL(url)
  proxied.host = `127.0.0.1:${(server.address() as net.AddressInfo).port}`

  const proxy: PostgresProxy = {
    url: proxied.href,
    plan: () => undefined,
    arm(text, fault) {
      const before = proxy.plan
      proxy.plan = (sql) => {
        if (!sql.trimStart().startsWith(text)) return before(sql)
        proxy.plan = before
        return fault
      }
    },
    blackHole() {
      isDark = true
    },
    heal() {
      isDark = false
      for (const connection of connections) connection.flush()
    },
    async cutAll() {
      for (const connection of connections) connection.destroy()
      await proxy.settled()
    },
    get clients() {
      return [...connections].filter(({ hasClient }) => hasClient).length
    },
    async settled() {
      if (isSettled()) return
      await new Promise<void>((resolve) => waiting.push(resolve))
    },
    async [Symbol.asyncDispose]() {
      for (const connection of connections) connection.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}
