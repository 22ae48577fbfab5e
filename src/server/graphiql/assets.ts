/*
 * The files of GraphiQL, out of the package that bundles them. They are large, and loading them would hold the event
 * loop for hundreds of milliseconds, so a worker thread loads them when they are first asked for, hands over the bytes
 * and ends. Owns nothing but the bytes.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { AssetFiles } from './load-assets.ts'

export interface Asset {
  readonly type: string
  readonly body: Uint8Array
  readonly etag: string
}

/** The assets by file name. Loads them once; a failure is told to who asked, and the next one tries again. */
export function lazyAssets(): () => Promise<ReadonlyMap<string, Asset>> {
  let loading: Promise<ReadonlyMap<string, Asset>> | undefined
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
}

async function load(): Promise<ReadonlyMap<string, Asset>> {
  const worker = new Worker(new URL(`./load-assets${extname(import.meta.url)}`, import.meta.url))
  const [files] = (await once(worker, 'message')) as [AssetFiles]
  return new Map(
    Object.entries(files).map(([name, body]) => {
      const type = name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8'
      return [name, { type, body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }]
    }),
  )
}
