/**
 * Fails when `schema.graphql` is not what the code says, or when it breaks clients of the schema before this work
 * without a line in `docs/breaking-changes.md`.
 */
import { existsSync, readFileSync } from 'node:fs'
import { schema } from '../src/graphql/schema.ts'
import { printedSchema } from './schema/printed-schema.ts'
import { releasedSchema } from './schema/released-schema.ts'
import { unlistedBreakingChanges } from './schema/unlisted-breaking-changes.ts'

const readIfThere = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')

const printed = printedSchema(schema)
if (printed !== readIfThere('schema.graphql')) {
  console.error('schema.graphql is not what the code says: run `npm run schema:print` and commit it.')
  process.exitCode = 1
}

const released = releasedSchema('.')
if (released === undefined) {
  console.log('There is no earlier schema.graphql to compare with.')
} else {
  const found = await unlistedBreakingChanges(released.sdl, printed, readIfThere('docs/breaking-changes.md'))
  for (const line of found) console.error(line)
  if (found.length > 0) {
    console.error(`\nThis breaks clients of the schema at ${released.commit}.`)
    console.error('List it in docs/breaking-changes.md, with the reason.')
    process.exitCode = 1
  } else {
    console.log(`Nothing unlisted breaks clients of the schema at ${released.commit}.`)
  }
}
