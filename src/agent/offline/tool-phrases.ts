import type { Json } from '../../kernel/json.ts'
import { cutUtf8 } from '../../kernel/text.ts'
import { parenthesesOf } from './parentheses.ts'
import type { Calling, ToolAsk } from './phrase.ts'
import { quoted } from './quoted.ts'
import { words } from './words.ts'

/** One word, or several in quotation marks. */
const NAME = '"[^"]+"|\\S+'
const MAX_DESCRIPTION_BYTES = 80

const unquoted = (name: string): string => (/^".+"$/s.test(name) ? name.slice(1, -1) : name)

const asking = (form: string, pattern: RegExp, ask: (...words: readonly string[]) => ToolAsk): Calling => ({
  form,
  pattern,
  calls: (caught) => [ask(...caught)],
  answer: () => [],
})

const list = asking(
  'list files [in DIR]',
  new RegExp(`^list (?:the |all )?files(?: in (${NAME}))?[.!]?$`, 'i'),
  (folder = '') => ({ toolName: 'list_files', input: folder === '' ? {} : { path: unquoted(folder) } }),
)

const read = asking('read FILE', new RegExp(`^read (${NAME})$`, 'i'), (path = '') => ({
  toolName: 'read_file',
  input: { path: unquoted(path) },
}))

const search = asking('search for TEXT', /^search for (.+)$/is, (text = '') => ({
  toolName: 'search_files',
  input: { text: unquoted(text) },
}))

const write = asking('write TEXT to FILE', new RegExp(`^write (.+) to (${NAME})$`, 'is'), (content = '', path = '') => ({
  toolName: 'write_file',
  input: { path: unquoted(path), content: unquoted(content) },
}))

const fetch = asking('fetch URL', /^fetch (\S+)$/i, (url = '') => ({ toolName: 'http_fetch', input: { url } }))

const calculate = asking('calculate EXPR', /^calculate (.+)$/is, (expression = '') => ({
  toolName: 'calculator',
  input: { expression },
}))

const call: Calling = {
  form: 'call TOOL with JSON',
  pattern: /^call (\S+) with (.+)$/is,
  calls([toolName = '', text = '']) {
    const input = parsed(text)
    return input === undefined ? [] : [{ toolName, input }]
  },
  answer: ([toolName = '', text = '']) =>
    words(`I am the offline model: I cannot call ${quoted(toolName)}, since ${quoted(text)} is no JSON.`),
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

const NEXT = /\sand\sdelegate to [^\s:]+\s*:/gi
const DELEGATION = /^delegate to ([^\s:]+)\s*:(.*)$/is

const delegate: Calling = {
  form: 'delegate to AGENT: PROMPT',
  pattern: /^(delegate to [^\s:]+\s*:\s*\S.*)$/is,
  calls: ([text = '']) => delegationsIn(text).map(delegation),
  answer: () => [],
}

/** Taken apart at each `and delegate to AGENT:` outside of parentheses. */
function delegationsIn(text: string): readonly string[] {
  const parentheses = parenthesesOf(text)
  const found: string[] = []
  let start = 0
  let closing = -1
  let at = 0
  for (const { index } of text.matchAll(NEXT)) {
    for (; at < index; at++) if (at > closing) closing = Math.max(closing, parentheses.get(at) ?? -1)
    if (index < closing) continue
    found.push(text.slice(start, index))
    start = index + ' and '.length
  }
  return [...found, text.slice(start)]
}

function delegation(text: string): ToolAsk {
  const [, subagentType = '', given = ''] = DELEGATION.exec(text) ?? []
  const prompt = withoutParentheses(given.trim().replace(/,$/, ''))
  const cut = cutUtf8(prompt, MAX_DESCRIPTION_BYTES)
  return { toolName: 'delegate', input: { description: cut === prompt ? cut : `${cut}…`, prompt, subagentType } }
}

/** A prompt that stands in parentheses as a whole stands in them for our sake. */
const withoutParentheses = (prompt: string): string =>
  prompt.startsWith('(') && parenthesesOf(prompt).get(0) === prompt.length - 1 ? prompt.slice(1, -1).trim() : prompt

/** What the offline model asks tools for. */
export const toolPhrases = { list, read, search, write, fetch, calculate, call, delegate }
