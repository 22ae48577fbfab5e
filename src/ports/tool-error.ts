/** Thrown by a tool that wrote its message for people and models: it is shown as it is, cut at 2,048 bytes. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
