import { readFileSync } from 'node:fs'
import { parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { checkedDefinitions } from '../../src/domain/delegation/checked-definitions.ts'
import { schema } from '../../src/graphql/schema.ts'
import { environment } from '../../src/server/config/environment.ts'

const byText = (one = '', other = ''): number => one.localeCompare(other)

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

test('the README has a row for every setting, and for nothing else', () => {
  const rows = [...readme.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name)
  expect(rows.toSorted(byText)).toEqual(Object.keys(environment.shape).toSorted(byText))
})

test('the tool of the README is that of the example', () => {
  const example = readFileSync(new URL('../../examples/own-tool.ts', import.meta.url), 'utf8')
  const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, text = '']) => text)
  const shown = blocks.filter((text) => text.includes('sdkToolProvider'))
  expect(shown).toHaveLength(1)
  for (const text of shown) expect(example).toContain(text)
})

test('the subagents of the library are those of the example', () => {
  const example = readFileSync(new URL('../../examples/own-subagents.ts', import.meta.url), 'utf8')
  const [, section = ''] = /\n### Subagents of your own\n(.*?)\n### /s.exec(readme) ?? []
  const blocks = [...section.matchAll(/```ts\n(.*?)```/gs)].map(([, text = '']) => text)
  expect(blocks).toHaveLength(2)
  for (const block of blocks) expect(example).toContain(block)
})

test('the subagents of the README are some', () => {
  const blocks = [...readme.matchAll(/```json\n(.*?)```/gs)].map(([, text = '']) => text)
  const lists = blocks.filter((text) => text.trimStart().startsWith('['))
  expect(lists).toHaveLength(1)
  for (const text of lists) expect(checkedDefinitions(JSON.parse(text))).toMatchObject({ ok: true })
})

test('the operations of the README are valid', () => {
  const blocks = [...readme.matchAll(/```graphql\n(.*?)```/gs)].map(([, text = '']) => text)
  expect(blocks.length).toBeGreaterThan(3)
  for (const block of blocks) expect(validate(schema, parse(block))).toEqual([])
})
