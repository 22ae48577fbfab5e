import type { Log } from '../../src/ports/telemetry.ts'

type Fields = Readonly<Record<string, unknown>>

export interface RecordedLog extends Log {
  readonly lines: readonly { readonly level: keyof Log; readonly message: string; readonly fields: Fields }[]
}

/** A log that keeps what it is told. */
export function recordedLog(): RecordedLog {
  const lines: RecordedLog['lines'][number][] = []
  const at = (level: keyof Log) => (fields: Fields, message: string) => {
    lines.push({ level, message, fields })
  }
  return { lines, info: at('info'), warn: at('warn'), error: at('error') }
}
