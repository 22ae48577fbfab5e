/**
 * Takes the picture of the README, `docs/graphiql.png`: GraphiQL, while a subscription shows an answer that grows. Starts
 * a server of its own with the offline model, and works it in a browser as the README says. Fails when there is none.
 */
import { chromiumPath, launchChromium } from '../test/support/chromium.ts'
import { openGraphiql } from '../test/browser/graphiql-page.ts'
import { scratchFolder, startServer } from '../test/support/server-process.ts'

const FILE = 'docs/graphiql.png'

const path = chromiumPath()
if (path === undefined) throw new Error('There is no browser to take the picture with.')

using folder = scratchFolder()
await using server = await startServer({ folder: folder.path })
await using browser = await launchChromium(path)
await using context = await browser.newContext({ viewport: { width: 1400, height: 900 }, colorScheme: 'light' })

const asking = await openGraphiql(context, server.url)
await asking.run()
await asking.page.locator('.result-window', { hasText: 'CreateSessionPayload' }).waitFor()

const watching = await openGraphiql(context, server.url)
await watching.choose('LiveRun')
await asking.choose('Enqueue')
await asking.run()
await watching.run()
await watching.page.locator('.result-window', { hasText: /text.*\b40\b/ }).waitFor()
await watching.page.mouse.move(0, 0)
await watching.page.screenshot({ path: FILE, animations: 'disabled' })
console.log(`${FILE} is taken.`)
