/** The application has a tool of a name that the harness needs for itself. Its message is for clients to read. */
export class ReservedToolError extends Error {
  override readonly name = 'ReservedToolError'

  constructor(tool: string) {
    super(`There is a tool named ${tool}: where subagents are configured the name is reserved. Rename the tool.`)
  }
}
