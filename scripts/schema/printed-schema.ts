import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'

/** The schema as `schema.graphql` holds it: sorted, so that it changes only where the API does. */
export const printedSchema = (schema: GraphQLSchema): string => `${printSchema(lexicographicSortSchema(schema))}\n`
