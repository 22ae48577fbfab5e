import { setTimeout } from 'node:timers/promises'
import type { BrowserContext, Locator, Page } from 'playwright-core'

/** Megabytes of scripts are compiled before anything is seen, perhaps on a busy machine. */
const DEADLINE_MS = 120_000

const REMEMBERED_TAB = `((state) => state?.tabs[state.activeTabIndex].title)(
  JSON.parse(sessionStorage.getItem('graphiql:tabState')),
)`

/** GraphiQL in a tab of the browser, worked as a person does: by its tabs and its button, seeing what is on the screen. */
export interface GraphiqlPage {
  readonly page: Page
  /** The titles of its tabs. */
  readonly tabs: () => Promise<readonly string[]>
  /** The title of the tab that is open. */
  readonly openTab: () => Promise<string>
  /** The title of the tab that will be open after a reload; it follows a click after a moment. */
  readonly rememberedTab: () => Promise<unknown>
  /** Brings it to the front, as whatever is done in it does too; behind others it is drawn once a second. */
  readonly toFront: () => Promise<void>
  /** Clicks on a tab, once, and waits until GraphiQL has taken over what is in it, as people do without knowing. */
  readonly choose: (tab: string) => Promise<void>
  /** Presses the button that runs the operation, and stops it. */
  readonly run: () => Promise<void>
  /** Whether the button would stop an operation. */
  readonly isRunning: () => Promise<boolean>
  /** What is in the pane of variables, and in that of results; undefined when that is nothing, or not yet all of it. */
  readonly variables: () => Promise<unknown>
  /** Replaces what is in the pane of variables. */
  readonly setVariables: (variables: object) => Promise<void>
  readonly result: () => Promise<unknown>
  /** The text of the pane of results, each time that it changes from now on. */
  readonly results: () => Promise<readonly string[]>
  readonly reload: () => Promise<void>
}

/** Opens the page, and resolves when GraphiQL has the schema. */
export async function openGraphiql(context: BrowserContext, url: string): Promise<GraphiqlPage> {
  const page = await context.newPage()
  page.setDefaultTimeout(DEADLINE_MS)
  const loaded = async (load: () => Promise<unknown>): Promise<void> => {
    const schema = page.waitForResponse((response) => response.request().method() === 'POST')
    await load()
    await schema
    await page.locator('.graphiql-query-editor .view-line').first().waitFor()
  }
  await loaded(() => page.goto(url))
  const button = page.locator('.graphiql-execute-button')
  return {
    page,
    tabs: () => page.locator('.graphiql-tab-button').allTextContents(),
    openTab: () => page.locator('.graphiql-tab-active .graphiql-tab-button').innerText(),
    rememberedTab: () => page.evaluate(REMEMBERED_TAB),
    toFront: () => page.bringToFront(),
    choose: async (tab) => {
      await page.bringToFront()
      await page.locator('.graphiql-tabs').getByRole('button', { name: tab, exact: true }).click()
      // The policy of the page lets nobody wait in it for what a text says.
      while ((await page.evaluate(REMEMBERED_TAB)) !== tab) await setTimeout(20)
    },
    run: async () => {
      await page.bringToFront()
      await button.click()
    },
    isRunning: async () => (await button.getAttribute('aria-label'))?.startsWith('Stop') === true,
    variables: () => shownJson(page.locator('.graphiql-editor-tool')),
    setVariables: async (variables) => {
      await page.bringToFront()
      await page.locator('.graphiql-editor-tool .view-lines:visible').click()
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.insertText(JSON.stringify(variables))
      // The editor closes what it takes for open.
      await page.keyboard.press('ControlOrMeta+Shift+End')
      await page.keyboard.press('Delete')
    },
    result: () => shownJson(page.locator('.result-window')),
    results: () => resultsOf(page),
    reload: () => loaded(() => page.reload()),
  }
}

/** The text of an editor, with the spaces that it has in truth. */
const plain = (text: string): string => text.replaceAll('\u00A0', ' ')

async function resultsOf(page: Page): Promise<readonly string[]> {
  const results: string[] = []
  await page.exposeFunction('resultChanged', (text: string) => results.push(plain(text)))
  await page.evaluate(`{
    const pane = document.querySelector('.result-window')
    const changes = { childList: true, subtree: true, characterData: true }
    new MutationObserver(() => resultChanged(pane.textContent)).observe(pane, changes)
  }`)
  return results
}

/** The JSON that an editor shows. It breaks long lines after a space, and indents what is left of them. */
async function shownJson(editor: Locator): Promise<unknown> {
  const lines = await editor.locator('.view-line:visible').evaluateAll((elements) =>
    elements.map((element) => ({ top: element.getBoundingClientRect().top, text: element.textContent ?? '' })),
  )
  const text = lines
    .toSorted((one, other) => one.top - other.top)
    .map((line) => plain(line.text).trimStart())
    .join('')
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
