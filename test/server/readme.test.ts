import { readFileSync } from 'node:fs'
import { parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../src/graphql/schema.ts'
import { environment } from '../../src/server/config/environment.ts'

const byText = (one = '', other = ''): number => one.localeCompare(other)

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

test('the README has a row for every setting, and for nothing else', () => {
  const rows = [...readme.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name)
  expect(rows.toSorted(byText)).toEqual(Object.keys(environment.shape).toSorted(byText))
})

test('the operations of the README are valid', () => {
  const blocks = [...readme.matchAll(/```graphql\n(.*?)```/gs)].map(([, text = '']) => text)
  expect(blocks.length).toBeGreaterThan(3)
  for (const block of blocks) expect(validate(schema, parse(block))).toEqual([])
})
