import { expect, test } from 'vitest'
import { permissionsSuite } from '../../contract/suites/permissions.ts'
import { sessionTreeSuite } from '../../contract/suites/session-tree.ts'
import { connected } from './postgresql-observer.ts'
import { postgresqlIsMissing, postgresqlScratch } from './scratch.ts'

/** A database that orders texts as a natural language does. */
const ENGLISH = `TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`

test.skipIf(postgresqlIsMissing)('the order of lists is the same, however the database orders texts', async () => {
  await using database = await postgresqlScratch(ENGLISH)
  await using client = await connected(database.url)
  const { rows } = await client.query(`SELECT 'a' < 'B' AS "ignoresCase"`)
  expect(rows).toEqual([{ ignoresCase: true }])
  const stores = await database.stores()
  for (const { run } of [...permissionsSuite.cases, ...sessionTreeSuite.cases]) await run(stores)
}, 30_000)
