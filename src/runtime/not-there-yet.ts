/** There is nothing to release yet; when it comes it is released without being asked for. */
export class NotThereYet extends Error {
  override readonly name = 'NotThereYet'
}
