import type { Law } from './law.ts'
import type { LawTest } from './law-tests.ts'

/** Where the laws and the tests say different things, one sentence each; none when they agree. */
export function disagreements(laws: readonly Law[], tests: readonly LawTest[]): readonly string[] {
  const known = new Set(laws.map(({ id }) => id))
  const unenforced = laws.flatMap(({ id, files }) =>
    files
      .filter((file) => !tests.some((test) => test.file === file && test.ids.includes(id)))
      .map((file) => `${id}: no test in ${file} has a title that begins with it.`),
  )
  const unknown = tests.flatMap(({ file, title, ids }) =>
    ids.filter((id) => !known.has(id)).map((id) => `${id}: is no law, but ${file} has a test «${title}».`),
  )
  return [...unenforced, ...unknown]
}
