import type { ToolSet } from 'ai'
import type { Tool, ToolProvider, ToolRequest } from '../ports/tools.ts'
import { sdkTool } from './sdk-tool.ts'

/** Tools that are let go of when their run is over. */
export interface ReleasedTools {
  readonly tools: ToolSet
  readonly release: () => Promise<void> | void
}

/** Tools of the SDK, by the names that models call: the same for each run, or what a function gives for it. */
export type SdkTools = ToolSet | ((request: ToolRequest) => ToolSet | Promise<ToolSet | ReleasedTools>)

/** Provides tools of the SDK. Rejects with what the function throws, or when a tool cannot be run by the harness. */
export function sdkToolProvider(tools: SdkTools): ToolProvider {
  if (typeof tools === 'function') return { provide: async (request) => handleOf(await tools(request)) }
  let known: Promise<readonly Tool[]> | undefined
  return {
    async provide() {
      known ??= toolsOf(tools)
      return { tools: await known }
    },
  }
}

async function handleOf(given: ToolSet | ReleasedTools) {
  // In a set, `release` would be the name of a tool, and no function.
  if (!isReleased(given)) return { tools: await toolsOf(given) }
  const release = async () => given.release()
  try {
    return { tools: await toolsOf(given.tools), release }
  } catch (error) {
    await release()
    throw error
  }
}

const isReleased = (given: ToolSet | ReleasedTools): given is ReleasedTools => typeof given['release'] === 'function'

const toolsOf = (tools: ToolSet): Promise<readonly Tool[]> =>
  Promise.all(Object.entries(tools).map(([name, tool]) => sdkTool(name, tool)))
