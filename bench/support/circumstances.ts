import { readFileSync } from 'node:fs'
import os from 'node:os'

const LIBRARIES = ['ai', 'graphql', 'graphql-yoga', 'graphql-ws', 'ws', '@prisma/client', 'pg']

const versionOf = (name: string): string => {
  const file = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}

/** When and on what it is measured, and how much else the machine has to do. */
export function circumstances(): string {
  const cpus = os.cpus()
  const gigabytes = Math.round(os.totalmem() / 1024 ** 3)
  const libraries = LIBRARIES.map((name) => `${name} ${versionOf(name)}`).join(', ')
  return (
    `Measured on ${new Date().toISOString().slice(0, 16).replace('T', ' at ')} UTC: ${cpus.length} × ` +
    `${cpus[0]?.model.trim() ?? 'an unknown CPU'}, ${gigabytes} GB, ${os.type()} ${os.release()}, ` +
    `load average ${os.loadavg().map((load) => load.toFixed(1)).join(', ')} at the beginning. ` +
    `Node ${process.versions.node}, SQLite ${process.versions['sqlite']}, ${libraries}.\n`
  )
}
