import { readdirSync, readFileSync } from 'node:fs'
import { type DocumentNode, Kind, parse } from 'graphql'

export interface ExampleOperation {
  readonly file: string
  /** The name of its operation. */
  readonly name: string
  readonly source: string
  readonly document: DocumentNode
  readonly variables: Readonly<Record<string, unknown>>
  /** The variables that the comment at its beginning shows. */
  readonly shown: string
}

const folder = new URL('../../examples/operations/', import.meta.url)
const files = readdirSync(folder)

/** The operations in `examples/operations`, with the variables beside them. */
export const exampleOperations: readonly ExampleOperation[] = files
  .filter((file) => file.endsWith('.graphql'))
  .toSorted()
  .map((file) => {
    const source = readFileSync(new URL(file, folder), 'utf8')
    const document = parse(source)
    const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)
    return {
      file,
      name: operation?.name?.value ?? '',
      source,
      document,
      variables: variablesOf(file.replace('.graphql', '.json')),
      shown: /^# Variables: (.*)$/m.exec(source)?.[1] ?? '',
    }
  })

function variablesOf(file: string): ExampleOperation['variables'] {
  if (!files.includes(file)) return {}
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as ExampleOperation['variables']
}
