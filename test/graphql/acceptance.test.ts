import { readFileSync } from 'node:fs'
import { Kind, parse, print, separateOperations, validate } from 'graphql'
import { describe, expect, test } from 'vitest'
import { complexityOf } from '../../src/graphql/complexity.ts'
import { aliasesOf, defaultOperationLimits, depthOf } from '../../src/graphql/limits.ts'
import { schema } from '../../src/graphql/schema.ts'
import { exampleOperations } from './example-operations.ts'
import { pruneDocument } from './prune-document.ts'

const whole = parse(readFileSync(new URL('acceptance.graphql', import.meta.url), 'utf8'))
const { document, leftOut } = pruneDocument(schema, whole)
const operations = Object.entries(separateOperations(document))

test('what the schema lacks of the acceptance operations is known', () => {
  process.stdout.write(`Left out of the acceptance operations: ${leftOut.join(', ')}\n`)
  expect(leftOut).toEqual([
    'Harness.slashCommands',
    'QueueEntry.scheduleKey',
    'Session.history',
    'Session.project',
    'Session.backgroundExecutions',
    'Mutation.schedulePrompt',
    'mutation Schedule',
    'Mutation.undo',
    'mutation Undo',
    'Mutation.redo',
    'mutation Redo',
  ])
})

test('the acceptance operations that exist are all there', () => {
  expect(operations.map(([name]) => name)).toEqual([
    'Harness',
    'Dashboard',
    'Tree',
    'Conversation',
    'Log',
    'CreateSession',
    'Enqueue',
    'Cancel',
    'Abort',
    'Answer',
    'Delete',
    'DeleteCohort',
    'Events',
    'LiveRun',
    'Approvals',
  ])
})

describe.each(operations)('%s', (name, operation) => {
  test('A11: it is valid', () => {
    expect(validate(schema, operation)).toEqual([])
  })

  test('A11: it passes the default limits', () => {
    expect(depthOf(operation)).toBeLessThanOrEqual(defaultOperationLimits.maxDepth)
    expect(aliasesOf(operation)).toBeLessThanOrEqual(defaultOperationLimits.maxAliases)
    expect(complexityOf({ schema, document: operation })).toBeLessThanOrEqual(defaultOperationLimits.maxComplexity)
  })

  test('A11: the examples hold it as it is, with variables that it takes', () => {
    const example = exampleOperations.find((it) => it.name === name)
    expect(example && print(example.document)).toBe(print(operation))
    const taken = operation.definitions.flatMap((node) =>
      node.kind === Kind.OPERATION_DEFINITION ? (node.variableDefinitions ?? []) : [],
    )
    expect(taken.map(({ variable }) => variable.name.value)).toEqual(
      expect.arrayContaining(Object.keys(example?.variables ?? {})),
    )
  })
})
