/**
 * Something that should not have happened. Thrown, never shown: a client gets a reference id, the log the whole story.
 * `source` says whose code failed.
 */
export class Fault extends Error {
  override readonly name: string = 'Fault'
  readonly source: 'harness' | 'store' | 'model' | 'resolver' | 'tool'

  constructor(source: Fault['source'], message: string, cause?: unknown) {
    super(message, { cause })
    this.source = source
  }
}
