import { existsSync, readFileSync, writeSync } from 'node:fs'

/** What a process tried to write of one session, and what the store said; nothing is known of one that it did not outlive. */
export interface Attempt {
  readonly process: string
  readonly at: number
  readonly session: number
  /** What it expected, and the epoch that it left. */
  readonly revision: number
  readonly epoch: number
  readonly nextEpoch: number
  readonly outcome: 'committed' | 'fenced' | 'conflict' | 'failed'
}

/** A call of a tool that did what it does. */
export interface Effect {
  readonly tool: string
  readonly runId: string
  readonly toolCallId: string
}

/** Adds a line that is there even if the process dies right afterwards. */
export function note(file: number, line: Attempt | Effect): void {
  writeSync(file, `${JSON.stringify(line)}\n`)
}

/** The lines of a file that processes wrote to; a last one that was cut off is none. */
export function linesOf(path: string): readonly unknown[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line) as unknown)
}
