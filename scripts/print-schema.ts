/** Writes `schema.graphql`. */
import { writeFileSync } from 'node:fs'
import { schema } from '../src/graphql/schema.ts'
import { printedSchema } from './schema/printed-schema.ts'

writeFileSync('schema.graphql', printedSchema(schema))
