/**
 * Thrown by a resolver of which there is no such model. Its message is written for whoever named the model: it is shown as
 * it is, cut at 2,048 bytes, unless the application's projector says otherwise.
 */
export class UnknownModelError extends Error {
  override readonly name = 'UnknownModelError'
}
