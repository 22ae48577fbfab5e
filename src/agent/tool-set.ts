import { jsonSchema, tool, type ToolSet } from 'ai'
import type { Tool } from '../ports/tools.ts'

/** The tools as a model call names them: without execution, which is the harness' own, and without checks of inputs. */
export const toolSetOf = (tools: readonly Tool[]): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [name, tool({ description, inputSchema: jsonSchema(inputSchema) })]),
  )
