import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asScopeId } from '../../src/kernel/ids.ts'
import { chromiumPath, launchChromium } from '../support/chromium.ts'
import { guardedServer, tokens } from './guarded-server.ts'

const path = chromiumPath()
const within = { timeout: 60_000, interval: 20 }

const EVENTS = 'subscription { events(scopeId: "own") { type } }'

describe.skipIf(path === undefined)('in a browser', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launchChromium(path ?? '')
  }, 180_000)

  afterAll(() => browser.close())

  test('V40: GraphiQL queries and subscribes with the token that is written into its headers', async () => {
    await using started = await guardedServer()
    await using context = await browser.newContext({ viewport: { width: 1400, height: 1200 } })
    const page = await context.newPage()
    const statuses: number[] = []
    page.on('response', (response) => {
      if (response.request().method() === 'POST') statuses.push(response.status())
    })
    await page.goto(`${started.url}?query=${encodeURIComponent(EVENTS)}`)
    await expect.poll(() => statuses, within).toContain(401)

    await page.getByRole('button', { name: 'Headers' }).click()
    await page.locator('.graphiql-editor-tool .monaco-editor:visible').first().click()
    await page.keyboard.insertText(JSON.stringify({ Authorization: `Bearer ${tokens.viewer}` }))
    await page.locator('.graphiql-execute-button').click()
    await expect.poll(() => started.harness.subscriptions.size, within).toBe(1)
    await started.harness.createSession({ scopeId: asScopeId('own') }, { principal: 'somebody' })
    const shown = async () => (await page.locator('.result-window').innerText()).replaceAll('\u00A0', ' ')
    await expect.poll(shown, within).toContain('SESSION_CREATED')
  }, 180_000)
})
