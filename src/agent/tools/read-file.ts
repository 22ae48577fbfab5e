import type { FileHandle } from 'node:fs/promises'
import { type Tool, tool } from 'ai'
import { z } from 'zod'
import { cutUtf8, utf8Length } from '../../kernel/text.ts'
import { ToolError } from '../../ports/tool-error.ts'
import { filled } from './workspace/filled.ts'
import type { Workspace } from './workspace/workspace.ts'

/** As JSON: with the rest of the answer it is below what the harness keeps of an output. */
const MAX_BYTES = 240 * 1024
/** Within which a line is looked for. */
const MAX_SCANNED = 64 * 1024 * 1024
const CHUNK = 64 * 1024
const MAX_LINES = 10_000
const LINE_FEED = 0x0a

interface Wanted {
  readonly path: string
  readonly offset: number
  readonly limit: number
}

interface Content {
  readonly path: string
  readonly firstLine: number
  /** Before the first when there is none. */
  readonly lastLine: number
  /** Where to go on, or null at the end of the file. */
  readonly nextLine: number | null
  readonly content: string
}

/** The tool `read_file`: a text file of the workspace, or some lines of it. */
export const readFileTool = (workspace: Workspace): Tool =>
  tool({
    description:
      'Reads a text file of the workspace, or some lines of it. Answers with at most 240 KiB; nextLine tells where to go on.',
    inputSchema: z.object({
      path: z.string().describe('The file, such as "notes/today.md"'),
      offset: z.int().min(1).optional().describe('The first line to read, counted from 1'),
      limit: z.int().min(1).max(MAX_LINES).optional().describe(`How many lines to read, at most ${MAX_LINES}`),
    }),
    metadata: { readOnly: true, idempotent: true },
    execute: ({ path, offset = 1, limit = MAX_LINES }, { abortSignal }): Promise<Content> =>
      workspace.inFile(path, async (file) => {
        const start = await startOf(file, { path, offset, limit }, abortSignal)
        const bytes = await filled(file, { start, length: MAX_BYTES + 1 })
        if (bytes.length === 0 && offset > 1) throw tooShort(path, offset)
        if (bytes.includes(0)) throw new ToolError(`${JSON.stringify(path)} is no text file.`)
        return contentOf(bytes, { path, offset, limit })
      }),
  })

/** The position of the first line that is wanted. */
async function startOf(file: FileHandle, { path, offset }: Wanted, signal: AbortSignal | undefined): Promise<number> {
  let start = 0
  let line = 1
  while (line < offset) {
    signal?.throwIfAborted()
    const chunk = start < MAX_SCANNED ? await filled(file, { start, length: CHUNK }) : undefined
    if (!chunk) throw new ToolError(`Line ${offset} of ${JSON.stringify(path)} is too far from its beginning.`)
    if (chunk.length === 0) throw tooShort(path, offset)
    let end = 0
    while (line < offset && end < chunk.length) {
      const feed = chunk.indexOf(LINE_FEED, end)
      if (feed >= 0) line++
      end = feed < 0 ? chunk.length : feed + 1
    }
    start += end
  }
  return start
}

const tooShort = (path: string, line: number): ToolError =>
  new ToolError(`${JSON.stringify(path)} ends before line ${line}.`)

/** Whole lines as far as they fit, at least one, which is cut if need be. Bytes that are no UTF-8 become U+FFFD. */
function contentOf(bytes: Buffer, { path, offset, limit }: Wanted): Content {
  const isEnd = bytes.length <= MAX_BYTES
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: !isEnd })
  let end = 0
  let lines = 0
  let room = MAX_BYTES
  while (end < text.length && lines < limit) {
    const feed = text.indexOf('\n', end)
    const next = feed < 0 ? text.length : feed + 1
    room -= utf8Length(JSON.stringify(text.slice(end, next)))
    const fits = room >= 0 && (feed >= 0 || isEnd)
    if (!fits && lines > 0) break
    lines++
    if (!fits) {
      const content = `${cutUtf8(text.slice(end, next), MAX_BYTES / 2)}… [the rest of this line is cut]`
      return { path, firstLine: offset, lastLine: offset, nextLine: offset + 1, content }
    }
    end = next
  }
  const nextLine = isEnd && end === text.length ? null : offset + lines
  return { path, firstLine: offset, lastLine: offset + lines - 1, nextLine, content: text.slice(0, end) }
}
