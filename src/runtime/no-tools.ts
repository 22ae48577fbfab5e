import type { ToolProvider } from '../ports/tools.ts'

/** Gives runs no tools. */
export const noTools: ToolProvider = { provide: async () => ({ tools: [] }) }
