import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultTabs } from '../../src/server/graphiql/default-tabs.ts'
import { chromiumPath, launchChromium } from '../support/chromium.ts'
import { scratchFolder, startServer } from '../support/server-process.ts'
import { edit } from './edit.ts'
import { type GraphiqlPage, openGraphiql } from './graphiql-page.ts'
import { observePages } from './observe-pages.ts'

const path = chromiumPath()

/** Tall enough for a whole conversation. */
const viewport = { width: 1400, height: 2400 }
const within = { timeout: 60_000, interval: 50 }
const examples = defaultTabs()
const titles = examples.map(({ query }) => /^(?:query|mutation|subscription) (\w+)/m.exec(query)?.[1])

interface Event {
  readonly type: string
  readonly delta?: string
}

/** What happens to a prompt, in this order. */
const STORY = [
  'PROMPT_QUEUED',
  'PROMPT_STARTED',
  'RUN_STARTED',
  'PROMPT_RUNNING',
  'PART_CREATED',
  'PART_DELTA',
  'PART_COMPLETED',
  'PROMPT_FINISHED',
  'RUN_FINISHED',
]

const COUNTED = Array.from({ length: 100 }, (_, index) => index + 1).join(' ')

interface Subscribed {
  /** What it has sent so far: the types of its messages. */
  readonly sent: readonly string[]
  /** The events that it has received so far, all of them; GraphiQL shows the latest one. */
  readonly events: readonly Event[]
}

interface Message {
  readonly type: string
  readonly payload?: { readonly data?: { readonly events: Event } }
}

/** What a page says and hears over its WebSockets, from now on. */
function subscribedBy(page: Page): Subscribed {
  const sent: string[] = []
  const events: Event[] = []
  const message = (payload: string | Buffer): Message => JSON.parse(String(payload)) as Message
  page.on('websocket', (socket) => {
    socket.on('framesent', (frame) => sent.push(message(frame.payload).type))
    socket.on('framereceived', (frame) => {
      const { payload } = message(frame.payload)
      if (payload?.data) events.push(payload.data.events)
    })
  })
  return { sent, events }
}

/** The request that the tab of approvals shows, once there is one. */
async function shownRequest({ result }: GraphiqlPage): Promise<{ readonly permissionId: string }> {
  await expect.poll(result, within).toHaveProperty('data.pendingPermissions.0')
  const { data } = (await result()) as { data: { pendingPermissions: readonly [{ permissionId: string }] } }
  return data.pendingPermissions[0]
}

describe.skipIf(path === undefined)('in a browser', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launchChromium(path!)
  }, 180_000)

  afterAll(() => browser.close())

  test('V60: the first minute: a session, a subscription that lives, a prompt, its answer as it comes', async () => {
    using folder = scratchFolder()
    await using first = await startServer({ folder: folder.path })
    await using context = await browser.newContext({ viewport })
    const wrong = observePages(context, first.url)

    const asking = await openGraphiql(context, first.url)
    await asking.run()
    await expect.poll(asking.result, within).toMatchObject({
      data: { createSession: { __typename: 'CreateSessionPayload', session: { sessionId: 'first', status: 'IDLE' } } },
    })

    const watching = await openGraphiql(context, first.url)
    await watching.choose('Events')
    const subscribed = subscribedBy(watching.page)
    await watching.run()
    await expect.poll(() => subscribed.sent, within).toContain('subscribe')
    await expect.poll(watching.isRunning, within).toBe(true)
    const results = await watching.results()

    await asking.choose('Enqueue')
    await asking.run()
    await expect.poll(asking.result, within).toMatchObject({
      data: { enqueuePrompt: { __typename: 'EnqueuePromptPayload' } },
    })
    await watching.toFront()
    const shown = async (): Promise<Event | undefined> => {
      const { data } = ((await watching.result()) ?? {}) as { data?: { events: Event } }
      return data?.events
    }
    await expect.poll(() => subscribed.events.map(({ type }) => type), within).toContain('RUN_FINISHED')
    await expect.poll(async () => isDeepStrictEqual(await shown(), subscribed.events.at(-1)), within).toBe(true)
    expect(new Set(results.flatMap((text) => /"delta": "[^"]*"/.exec(text) ?? [])).size).toBeGreaterThan(2)
    expect(await watching.isRunning()).toBe(true)
    expect(subscribed.events.map(({ delta = '' }) => delta).join('')).toBe(COUNTED)
    const types = [...new Set(subscribed.events.map(({ type }) => type))]
    expect(types.filter((type) => /^(?:PROMPT|RUN|PART)_/.test(type))).toEqual(STORY)

    const conversation = {
      data: {
        session: {
          title: 'My first session',
          status: 'IDLE',
          queue: [{ status: 'COMPLETED' }],
          messages: {
            edges: [
              { node: { role: 'USER', parts: [{ text: 'count to 100 slowly' }] } },
              { node: { role: 'ASSISTANT', parts: [{ text: COUNTED }] } },
            ],
          },
        },
      },
    }
    await asking.choose('Conversation')
    await asking.run()
    await expect.poll(asking.result, within).toMatchObject(conversation)
    expect(wrong).toEqual([])

    await first.end('SIGKILL')
    await using second = await startServer({ folder: folder.path, env: { PORT: new URL(first.url).port } })
    expect(second.url).toBe(first.url)
    await expect.poll(asking.rememberedTab, within).toBe('Conversation')
    await asking.reload()
    expect(await asking.openTab()).toBe('Conversation')
    expect(await asking.result()).toBeUndefined()
    await asking.run()
    await expect.poll(asking.result, within).toMatchObject(conversation)
  }, 300_000)

  test('V61: the tabs are the examples with variables, take the first click, and outlive page and visit', async () => {
    using folder = scratchFolder()
    await using server = await startServer({ folder: folder.path })
    await using context = await browser.newContext()
    const wrong = observePages(context, server.url)

    const one = await openGraphiql(context, server.url)
    const other = await openGraphiql(context, server.url)
    for (const { tabs, openTab } of [one, other]) {
      expect(await tabs()).toEqual(titles)
      expect(await openTab()).toBe(titles[0])
    }
    for (const [index, { variables }] of examples.entries()) {
      if (index > 0) await one.choose(titles[index]!)
      expect(await one.openTab()).toBe(titles[index])
      await expect.poll(one.variables, within).toEqual(variables === undefined ? undefined : JSON.parse(variables))
    }

    await one.choose('Log')
    await expect.poll(one.rememberedTab, within).toBe('Log')
    await other.choose('Tree')
    await expect.poll(other.rememberedTab, within).toBe('Tree')
    await one.reload()
    expect(await one.openTab()).toBe('Log')
    for (const { tabs } of [one, other]) expect(await tabs()).toEqual(titles)
    expect(wrong).toEqual([])
  }, 300_000)

  test('V62: what one tab of the browser asks for, another one allows, and the file is there', async () => {
    using folder = scratchFolder()
    await using server = await startServer({ folder: folder.path })
    await using context = await browser.newContext({ viewport })
    const wrong = observePages(context, server.url)

    const asking = await openGraphiql(context, server.url)
    await asking.run()
    await expect.poll(asking.result, within).toMatchObject({ data: { createSession: { session: { status: 'IDLE' } } } })
    const deciding = await openGraphiql(context, server.url)
    await deciding.choose('Approvals')
    await deciding.run()
    await expect.poll(deciding.result, within).toEqual({ data: { pendingPermissions: [] } })

    await asking.choose('Enqueue')
    await edit(asking, { text: 'write hello to notes.txt' })
    await asking.run()
    await expect.poll(asking.result, within).toMatchObject({
      data: { enqueuePrompt: { __typename: 'EnqueuePromptPayload' } },
    })
    await deciding.toFront()
    const request = await shownRequest(deciding)
    expect(request).toMatchObject({ metadata: { toolName: 'write_file' }, state: 'PENDING' })
    const file = join(folder.path, 'workspace', 'notes.txt')
    expect(existsSync(file)).toBe(false)

    await deciding.choose('Answer')
    await edit(deciding, { permissionId: request.permissionId })
    await deciding.run()
    await expect.poll(deciding.result, within).toMatchObject({
      data: { respondToPermission: { permission: { state: 'RESOLVED', decision: 'ONCE', decidedBy: 'local' } } },
    })
    await asking.choose('LiveRun')
    await asking.run()
    await expect.poll(asking.result, within).toMatchObject({ data: { liveRun: { status: 'COMPLETED' } } })
    expect(readFileSync(file, 'utf8')).toBe('hello')
    expect(wrong).toEqual([])
  }, 300_000)

  test('V12: whatever a page of the server tries, it reaches no other host', async () => {
    using folder = scratchFolder()
    await using server = await startServer({ folder: folder.path })
    await using context = await browser.newContext()
    const wrong = observePages(context, server.url)
    const { page } = await openGraphiql(context, server.url)
    expect(wrong).toEqual([])

    const attempt = `fetch('http://192.0.2.1/').then(() => 'answered', () => 'refused')`
    expect(await page.evaluate(attempt)).toBe('refused')
    await expect.poll(() => wrong.join('\n'), within).toContain('Content Security Policy')
    await page.goto('about:blank')
    expect(await page.evaluate(attempt)).toBe('refused')
    expect(wrong).toContain('request http://192.0.2.1/')
  }, 300_000)
})
