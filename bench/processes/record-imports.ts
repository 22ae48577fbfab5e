/** Loaded before a program: writes down at its end which packages the files of `src/` have loaded, in order. */
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const SOURCES = new URL('../../src/', import.meta.url).href
const imported = new Set<string>()

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    const byUs = context.parentURL?.startsWith(SOURCES) === true
    if (byUs && !resolved.url.startsWith(SOURCES)) imported.add(resolved.url)
    return resolved
  },
})

process.once('exit', () => writeFileSync(process.env['BENCH_IMPORTS'] ?? 'imports.json', JSON.stringify([...imported])))
