/** What went wrong in a tool, in words that the model and clients may read as they are. Only our own tools throw it. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
