import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { httpFetchTool } from '../../../src/agent/tools/http-fetch.ts'
import { ToolError } from '../../../src/ports/tool-error.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import { called } from './called.ts'

interface Stage {
  readonly port: number
  /** Whom the requests were for, and their paths. */
  readonly seen: string[]
  connections: number
}

/** A server on an address of this machine, which counts who comes. */
async function served(listener: RequestListener, host = '127.0.0.1', port = 0): Promise<Stage> {
  const seen: string[] = []
  const server: Server = createServer((request, response) => {
    seen.push(`${request.method} ${request.headers.host} ${request.url}`)
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const stage: Stage = { port: (server.address() as AddressInfo).port, seen, connections: 0 }
  server.on('connection', () => stage.connections++)
  return stage
}

const hello: RequestListener = (_, response) => response.setHeader('content-type', 'text/plain').end('hello')

/** Names of the test, of which `public.example` may be reached. */
const resolve = async (name: string): Promise<readonly string[]> => {
  const addresses = { 'public.example': ['127.0.0.1'], 'both.example': ['10.0.0.1', '127.0.0.1'], 'private.example': ['127.0.0.2'] }
  if (name in addresses) return addresses[name as keyof typeof addresses]
  throw new Error(`no such name, but a secret: ${name}`)
}
const open = (clock = systemClock) => httpFetchTool({ clock, resolve, allow: (address) => address === '127.0.0.1' })
const closed = httpFetchTool({ clock: systemClock })

describe('T51: nothing private is reached', () => {
  test.each([
    '127.0.0.1', 'localhost', 'LOCALHOST', 'localhost.', '127.0.0.1.', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1',
    '0177.0.0.1', '017700000001', '0', '0.0.0.0', '127.0.0.2', '[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '①②⑦.⓪.⓪.①', '127。0。0。1', '１２７.0.0.1',
    '%31%32%37.0.0.1', '169.254.169.254', '[fd00:ec2::254]', '[fe80::1]',
  ])('T51: this machine and its networks, called %s', async (host) => {
    const stage = await served(hello)
    await expect(called(closed, { url: `http://${host}:${stage.port}/` })).rejects.toThrow('has no public address')
    expect(stage.connections).toBe(0)
  })

  test.each([
    'file:///etc/passwd', 'ftp://public.example/', 'data:text/plain,x', 'javascript:1', 'gopher://public.example', 'public.example',
    '', 'http://', 'http://[fe80::1%25eth0]/', 'http://a b/', 'http://user:secret@public.example/', 'http://user@public.example/',
    '//public.example/', 'http://public.example:99999/',
  ])('T51: %j is no URL to fetch', async (url) => {
    const thrown = await called(open(), { url }).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(ToolError)
    expect((thrown as ToolError).message).not.toContain('secret')
  })

  test('T51: a name without public addresses looks like one that does not exist', async () => {
    const messageOf = (name: string) =>
      called(open(), { url: `http://${name}/` }).then(String, (error: Error) => error.message.replaceAll(name, 'NAME'))
    expect(await messageOf('private.example')).toBe('"NAME" has no public address.')
    expect(await messageOf('missing.example')).toBe(await messageOf('private.example'))
  })

  test('T51: of the addresses of a name the allowed ones alone', async () => {
    const { port, seen } = await served(hello)
    expect(await called(open(), { url: `http://both.example:${port}/x` })).toMatchObject({ body: 'hello' })
    expect(seen).toEqual([`GET both.example:${port} /x`])
  })

  test('T51: a name that changes its address between check and connection is connected to as it was checked', async () => {
    const right = await served(hello)
    const wrong = await served(hello, '127.0.0.2', right.port)
    let asked = 0
    const tool = httpFetchTool({
      clock: systemClock,
      resolve: async () => [asked++ === 0 ? '127.0.0.1' : '127.0.0.2'],
      allow: (address) => address === '127.0.0.1',
    })
    expect(await called(tool, { url: `http://turning.example:${right.port}/` })).toMatchObject({ body: 'hello' })
    expect([asked, right.connections, wrong.connections]).toEqual([1, 1, 0])
    await expect(called(tool, { url: `http://turning.example:${right.port}/` })).rejects.toThrow(ToolError)
    expect([right.connections, wrong.connections]).toEqual([1, 0])
  })

  test.each([
    'http://private.example:PORT/', 'http://127.0.0.2:PORT/', '//127.0.0.2:PORT/', 'http://2130706434:PORT/', 'http://[::1]/',
    'file:///etc/passwd', 'http://user:secret@public.example/', 'http://',
  ])('T51: by a redirect to %s', async (location) => {
    const inner = await served(hello, '127.0.0.2')
    const there = location.replace('PORT', `${inner.port}`)
    const { port } = await served((_, response) => response.writeHead(302, { location: there }).end())
    await expect(called(open(), { url: `http://public.example:${port}/` })).rejects.toThrow(ToolError)
    expect(inner.connections).toBe(0)
  })
})

describe('T52: what is public is fetched', () => {
  test('T52: over redirects, at most five', async () => {
    const { port, seen } = await served(({ url = '' }, response) => {
      const left = Number(url.slice(1))
      if (left === 0) response.setHeader('content-type', 'text/html; charset=utf-8').end('<p>ü</p>')
      else response.writeHead(307, { location: `/${left - 1}#part` }).end('elsewhere')
    })
    expect(await called(open(), { url: `http://public.example:${port}/5#part` })).toEqual({
      url: `http://public.example:${port}/0`,
      status: 200,
      contentType: 'text/html; charset=utf-8',
      contentLength: '9',
      body: '<p>ü</p>',
    })
    await expect(called(open(), { url: `http://public.example:${port}/6` })).rejects.toThrow('more than 5 redirects')
    expect(seen).toHaveLength(12)
  })

  test('T52: without anything that says who asks', async () => {
    let headers: object = {}
    const { port } = await served((request, response) => {
      headers = request.headers
      response.setHeader('set-cookie', 'a=b').writeHead(request.url === '/' ? 301 : 200, { location: '/x' }).end()
    })
    await called(open(), { url: `http://public.example:${port}/` })
    expect(Object.keys(headers).toSorted()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent'])
  })

  test('T52: errors of a server are answers; HEAD has no body', async () => {
    const { port, seen } = await served((_, response) => response.writeHead(404, { 'content-length': 7 }).end('missing'))
    const url = `http://public.example:${port}/`
    expect(await called(open(), { url })).toMatchObject({ status: 404, contentType: null, body: 'missing' })
    expect(await called(open(), { url, method: 'HEAD' })).toMatchObject({ status: 404, contentLength: '7', body: null })
    expect(seen.map((line) => line.split(' ')[0])).toEqual(['GET', 'HEAD'])
    await expect(called(open(), { url, method: 'POST' })).rejects.toThrow(/./)
  })

  test.each([
    ['application/json', true], ['application/problem+json; charset=utf-8', true], ['image/svg+xml', true], ['TEXT/CSV', true],
    ['application/octet-stream', false], ['image/png', false], ['application/pdf', false], ['application/jsonish', false], ['x', false],
  ])('T52: of %s text is shown: %s', async (type, isShown) => {
    const { port } = await served((_, response) => response.setHeader('content-type', type).end('{}'))
    expect(await called(open(), { url: `http://public.example:${port}/` })).toMatchObject({ contentType: type, body: isShown ? '{}' : null })
  })

  test('T52: in the character set that it names; packed text is not shown', async () => {
    const { port } = await served(({ url }, response) => {
      if (url === '/packed') response.setHeader('content-encoding', 'gzip')
      response.setHeader('content-type', `text/plain; charset="${url === '/latin' ? 'ISO-8859-1' : 'nonsense'}"`)
      response.end(Buffer.from([0xe4, 0x21]))
    })
    const bodyOf = async (path: string) => (await called(open(), { url: `http://public.example:${port}${path}` })) as object
    expect(await bodyOf('/latin')).toMatchObject({ body: 'ä!' })
    expect(await bodyOf('/other')).toMatchObject({ body: '\uFFFD!' })
    expect(await bodyOf('/packed')).toMatchObject({ body: null })
  })
})

describe('T53: an answer is bounded', () => {
  test('T53: in size: an endless one is cut, visibly, at a whole character', async () => {
    const { port } = await served((_, response) => {
      response.setHeader('content-type', 'text/plain')
      response.write('x')
      const more = () => {
        while (response.write('é'.repeat(10_000)) && !response.destroyed);
      }
      response.on('drain', more)
      more()
    })
    const { body } = (await called(open(), { url: `http://public.example:${port}/` })) as { body: string }
    expect(body).toMatch(/^xé+\n… \[cut after 1 MiB\]$/)
    expect(Buffer.byteLength(body)).toBe(1024 * 1024 - 1 + Buffer.byteLength('\n… [cut after 1 MiB]'))
  })

  const silent: readonly (readonly [string, RequestListener])[] = [
    ['before its headers', () => undefined],
    ['within its body', (_, response) => response.setHeader('content-type', 'text/plain').write('begin')],
  ]

  test.each(silent)('T53: in time: who falls silent %s is waited for 20 seconds', async (_, listener) => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    const { port } = await served((request, response) => {
      listener(request, response)
      arrive()
    })
    const clock = virtualClock()
    const fetching = called(open(clock), { url: `http://public.example:${port}/` }).catch((error: unknown) => error)
    await arrived
    await clock.advance(19_999)
    expect(clock.pending).toBe(1)
    await clock.advance(1)
    expect(await fetching).toEqual(new ToolError('There was no whole answer within 20 seconds.'))
    expect(clock.pending).toBe(0)
  })

  test.each(silent)('T53: by an abort: of one that is silent %s', async (_, listener) => {
    const stop = new AbortController()
    const reason = new Error('enough')
    const { port } = await served((request, response) => {
      listener(request, response)
      request.socket.on('close', () => closing())
      stop.abort(reason)
    })
    const { promise: isClosed, resolve: closing } = Promise.withResolvers<void>()
    const clock = virtualClock()
    await expect(called(open(clock), { url: `http://public.example:${port}/` }, stop.signal)).rejects.toBe(reason)
    await isClosed
    expect(clock.pending).toBe(0)
  })

  test('T53: by an abort while a name is resolved, and before', async () => {
    const stop = new AbortController()
    const tool = httpFetchTool({ clock: systemClock, resolve: () => new Promise(() => stop.abort(new Error('enough'))) })
    await expect(called(tool, { url: 'http://slow.example/' }, stop.signal)).rejects.toThrow('enough')
    await expect(called(tool, { url: 'http://slow.example/' }, stop.signal)).rejects.toThrow('enough')
  })

  test.each<readonly [string, RequestListener]>([
    ['breaks off before its headers', ({ socket }) => socket.destroy()],
    ['breaks off within its body', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 100 }).write('begin', () => response.destroy())
    }],
    ['is no HTTP', ({ socket }) => socket.end('SSH-2.0-OpenSSH\r\n')],
    ['has endless headers', ({ socket }) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`)],
    ['speaks another protocol', ({ socket }) => socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')],
  ])('T53: one that %s is a tool error', async (_, listener) => {
    const { port } = await served(listener)
    const thrown = await called(open(), { url: `http://public.example:${port}/` }).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(ToolError)
    expect((thrown as ToolError).message).toContain('gave no whole answer')
  })

  test('T53: nobody listens, and TLS that is none, are tool errors', async () => {
    const { port } = await served(hello)
    for (const url of ['http://public.example:1/', `https://public.example:${port}/`]) {
      await expect(called(open(), { url })).rejects.toThrow(/gave no whole answer \(\w+\)/)
    }
  })
})
