import { calculatorTool } from './calculator.ts'
import { clockTool } from './clock.ts'
import { httpFetchTool } from './http-fetch.ts'
import { workspaceTools, type WorkspaceToolsOptions } from './workspace-tools.ts'

/** Everything that comes with the harness, under the names that models call. */
export const builtInTools = (options: WorkspaceToolsOptions) => ({
  ...workspaceTools(options),
  http_fetch: httpFetchTool(options),
  calculator: calculatorTool(),
  clock: clockTool(options.clock),
})
