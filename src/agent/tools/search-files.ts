import { type Tool, tool } from 'ai'
import { z } from 'zod'
import type { Clock } from '../../ports/clock.ts'
import { filesBelow, type Found } from './workspace/files-below.ts'
import { fileProblem } from './workspace/file-problem.ts'
import { filled } from './workspace/filled.ts'
import { openFile, type Workspace } from './workspace/workspace.ts'
import { workspacePath } from './workspace/workspace-path.ts'

const MAX_MATCHES = 200
const MAX_FILES = 5_000
const MAX_FILE_BYTES = 4 * 1024 * 1024
const MAX_BYTES = 64 * 1024 * 1024
const MAX_MS = 10_000
const MAX_NEEDLE = 1_000
const SHOWN_BEFORE = 80
const SHOWN_AFTER = 200
/** Where a byte 0 tells that a file is no text. */
const SNIFFED = 8 * 1024

interface Match {
  readonly path: string
  readonly line: number
  /** The line, or what is around the match in a long one. */
  readonly text: string
}

interface Matches {
  readonly matches: readonly Match[]
  readonly filesSearched: number
  /** Why not everything was searched: enough of something, or something that could not be read. */
  readonly stoppedBy: 'matches' | 'files' | 'bytes' | 'time' | 'unreadable' | null
}

/** The tool `search_files`: lines of text files of the workspace that contain a text. No patterns, so no endless ones. */
export const searchFilesTool = (workspace: Workspace, clock: Clock): Tool =>
  tool({
    description:
      'Finds the lines of text files of the workspace that contain a text, which is taken literally. ' +
      `Shows at most ${MAX_MATCHES} lines; of large files the first 4 MiB are searched.`,
    inputSchema: z.object({
      text: z.string().min(1).max(MAX_NEEDLE).describe('What to look for, within a line'),
      path: z.string().optional().describe('The folder to search, with those below; the whole workspace when omitted'),
      matchCase: z.boolean().optional().describe('Tell capital letters from small ones'),
    }),
    metadata: { readOnly: true, idempotent: true },
    execute: ({ text, path = '', matchCase = false }, { abortSignal }): Promise<Matches> =>
      workspace.inFolder(path, async (folder) => {
        const search = new Search(matchCase ? asItIs : folded, text)
        if (!folder) return search.result(null)
        const until = clock.monotonic() + MAX_MS
        const walk = { prefix: workspacePath(path).join('/'), signal: abortSignal, onSkip: () => search.skip() }
        for await (const found of filesBelow(folder, walk)) {
          if (clock.monotonic() > until) return search.result('time')
          const full = found.entry.type === 'file' ? await search.take(found) : null
          if (full) return search.result(full)
          // Files that are in memory are read without a pause.
          await clock.breathe()
        }
        return search.result(null)
      }),
  })

const asItIs = (text: string): string => text
const folded = (text: string): string => text.toLowerCase()

class Search {
  readonly #seen: (text: string) => string
  readonly #needle: string
  readonly #matches: Match[] = []
  #files = 0
  #bytes = 0
  #isWhole = true

  constructor(seen: (text: string) => string, needle: string) {
    this.#seen = seen
    this.#needle = seen(needle)
  }

  /** Searches a file; says what was exhausted by it. One that cannot be read, or is no text, is passed by. */
  async take(found: Found): Promise<Matches['stoppedBy']> {
    if (this.#files >= MAX_FILES) return 'files'
    this.#files++
    const bytes = await bytesOf(found)
    if (!bytes) this.skip()
    if (bytes && !bytes.subarray(0, SNIFFED).includes(0)) this.#search(found.path, bytes.toString())
    this.#bytes += bytes?.length ?? 0
    if (this.#matches.length >= MAX_MATCHES) return 'matches'
    return this.#bytes >= MAX_BYTES ? 'bytes' : null
  }

  skip(): void {
    this.#isWhole = false
  }

  result(stoppedBy: Matches['stoppedBy']): Matches {
    const matches = this.#matches
    return { matches, filesSearched: this.#files, stoppedBy: stoppedBy ?? (this.#isWhole ? null : 'unreadable') }
  }

  #search(path: string, text: string): void {
    if (!this.#seen(text).includes(this.#needle)) return
    for (const [index, line] of text.split('\n').entries()) {
      const at = this.#seen(line).indexOf(this.#needle)
      if (at < 0) continue
      if (this.#matches.length >= MAX_MATCHES) return
      this.#matches.push({ path, line: index + 1, text: line.slice(Math.max(0, at - SHOWN_BEFORE), at + SHOWN_AFTER).trim() })
    }
  }
}

async function bytesOf({ folder, entry, path }: Found): Promise<Buffer | undefined> {
  try {
    await using file = await openFile(folder, entry.name, path)
    return await filled(file, { start: 0, length: MAX_FILE_BYTES })
  } catch (error) {
    if (fileProblem(error, path) === error) throw error
    return undefined
  }
}
