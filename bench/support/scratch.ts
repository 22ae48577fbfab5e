import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import path from 'node:path'

/** Where the bench keeps its databases: on the disk of the project, as `/tmp` may be memory. */
export const dataFolder = fileURLToPath(new URL('../.data', import.meta.url))

/** An empty folder, which is removed when the scope that asked for it ends. */
export function scratchFolder(): Disposable & { readonly path: string } {
  mkdirSync(dataFolder, { recursive: true })
  const folder = mkdtempSync(path.join(dataFolder, 'scratch-'))
  return { path: folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}
