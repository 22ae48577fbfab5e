import { describe, expect, test } from 'vitest'
import { nextRow, openWorld } from '../../contract/support/world.ts'
import { databaseKinds } from './scratch.ts'

const FREQUENT = 1001

describe.each(databaseKinds)('titles on $name', ({ scratch, missing }) => {
  test.skipIf(missing)('C51: a rare text is looked for among the sessions that have a piece of it', async () => {
    await using database = await scratch()
    const statements: string[] = []
    const { stores, scope, create, commit, seed } = await openWorld(await database.stores((sql) => statements.push(sql)))
    const first = await stores.sessions.reserveKeys(FREQUENT)
    const keys = Array.from({ length: FREQUENT }, (_, i) => (first + i) as typeof first)
    await commit({ created: await Promise.all(keys.map((key) => seed({ key, title: 'A usual title' }))) })
    const rare = await create({ title: 'A usual title, but rare' })
    const ways = async (titleContains: string) => {
      statements.length = 0
      const page = await stores.sessions.page({ scopeKey: scope.key, filter: { titleContains }, limit: 2 })
      expect(page[0]?.key).toBe(page.length > 0 ? rare.key : undefined)
      return statements.map((sql) => sql.includes('"TitleGram"'))
    }
    expect(await ways('usual title, but')).toEqual([true, true])
    expect(await ways('le,')).toEqual([true, true])
    expect(await ways('nobody has it')).toEqual([true])
    expect(await ways('usual')).toEqual([true, false])
  })

  test.skipIf(missing)('C51: a commit that changes no title does nothing for titles', async () => {
    await using database = await scratch()
    const statements: string[] = []
    const { create, commit, reload } = await openWorld(await database.stores((sql) => statements.push(sql)))
    const untitled = await create()
    expect(statements.some((sql) => sql.includes('"TitleGram"'))).toBe(false)
    const session = await create({ title: 'A title' })
    const forTitles = async (title: string | null) => {
      const write = nextRow(await reload(session), { title })
      statements.length = 0
      await commit({ sessions: [write, nextRow(await reload(untitled))] })
      return statements.filter((sql) => sql.includes('"TitleGram"')).length
    }
    expect(await forTitles('A title')).toBe(0)
    expect(await forTitles('Another')).toBe(2)
    expect(await forTitles(null)).toBe(1)
  })
})
