import type { Law } from './law.ts'

export interface ParsedLaws {
  readonly laws: readonly Law[]
  /** What is malformed, one sentence each. */
  readonly problems: readonly string[]
}

const AREA = /^## .*\((?<letter>[A-Z])\)\s*$/
const ITEM = /^- \*\*(?<id>[^*]*)\*\*\s*(?<body>.*)$/s
const LAW_ID = /^[A-Z]\d+$/
const FILE = /`(?<file>(?:src|test)\/[^`]+\.ts)`/g

/**
 * Reads the laws of `docs/LAWS.md`: below a heading `## Area (X)`, items `- **X1** One sentence. (`file`, `file`)`,
 * which may go on in indented lines. Everything outside such areas is prose. Never throws: what does not fit becomes
 * a problem.
 */
export function parseLaws(markdown: string): ParsedLaws {
  const laws: Law[] = []
  const problems: string[] = []
  let area: string | undefined
  for (const block of blocksOf(markdown)) {
    if (block.startsWith('#')) area = AREA.exec(block)?.groups?.['letter']
    if (area === undefined || !block.startsWith('- ')) continue
    const law = parseItem(block)
    problems.push(...itemProblems(law, area, laws), ...(law === undefined ? [`Not a law: ${block}`] : []))
    if (law !== undefined) laws.push(law)
  }
  return { laws, problems }
}

/** Headings, items with their continuation lines, and other lines, each as one string. */
function blocksOf(markdown: string): readonly string[] {
  const blocks: string[] = []
  for (const line of markdown.split('\n')) {
    const last = blocks.at(-1)
    if (last?.startsWith('- ') === true && /^\s+\S/.test(line)) blocks[blocks.length - 1] = `${last} ${line.trim()}`
    else blocks.push(line)
  }
  return blocks
}

function parseItem(block: string): Law | undefined {
  const groups = ITEM.exec(block)?.groups
  if (groups === undefined) return undefined
  const body = groups['body'] ?? ''
  const files = [...body.matchAll(FILE)].map((match) => match.groups?.['file'] ?? '')
  return { id: groups['id'] ?? '', text: body.replaceAll(FILE, '').replace(/\s*\([\s,]*\)\s*$/, ''), files }
}

function itemProblems(law: Law | undefined, area: string, before: readonly Law[]): readonly string[] {
  if (law === undefined) return []
  if (!LAW_ID.test(law.id)) return [`${law.id}: an id is one capital letter and a number.`]
  return [
    ...(law.id.startsWith(area) ? [] : [`${law.id}: stands in the area ${area}.`]),
    ...(before.some(({ id }) => id === law.id) ? [`${law.id}: stands there twice.`] : []),
    ...(law.text === '' ? [`${law.id}: says nothing.`] : []),
    ...(law.files.length === 0 ? [`${law.id}: names no test file.`] : []),
  ]
}
