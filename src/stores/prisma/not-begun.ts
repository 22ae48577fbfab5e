/** A transaction could not begin, so nothing of it was sent. */
export class NotBegun extends Error {
  override readonly name = 'NotBegun'

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
