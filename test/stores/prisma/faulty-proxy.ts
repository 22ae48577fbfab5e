import net from 'node:net'

/** What happens to a connection that says what the fault waits for. */
export type Fault =
  /** It is cut before the server hears it. */
  | 'cutBefore'
  /** The server hears it, and the connection is cut instead of bringing the answer. */
  | 'cutAfter'
  /** The server hears it, and nothing ever comes back. */
  | 'silence'

export interface FaultyProxy extends AsyncDisposable {
  readonly url: string
  /** The next connection that says `text` suffers this. */
  arm(text: string, fault: Fault): void
}

/** Stands between a client and a server of PostgreSQL, passes on what both say, and strikes when it is told to. */
export async function faultyProxy(url: string): Promise<FaultyProxy> {
  const target = new URL(url)
  const sockets = new Set<net.Socket>()
  let armed: { readonly text: string; readonly fault: Fault } | undefined
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(target.port || 5432), target.hostname)
    let struck: Fault | undefined
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', cut)
      socket.on('close', () => {
        sockets.delete(socket)
        cut()
      })
    }
    client.on('data', (data) => {
      if (armed && data.includes(armed.text)) {
        struck = armed.fault
        armed = undefined
      }
      if (struck === 'cutBefore') cut()
      else upstream.write(data)
    })
    upstream.on('data', (data) => {
      if (struck === 'cutAfter') cut()
      else if (struck !== 'silence') client.write(data)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxied = new URL(url)
  proxied.host = `127.0.0.1:${(server.address() as net.AddressInfo).port}`
  return {
    url: proxied.href,
    arm(text, fault) {
      armed = { text, fault }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
