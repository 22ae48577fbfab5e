import { describe, expect, test } from 'vitest'
import { asGenerationId, asSessionId } from '../../kernel/ids.ts'
import { type CohortEntry, cohortIssues, cohortRefusal } from './cohort.ts'

const entry = (sessionId: string, generationSequence = 1, generationId = `g of ${sessionId}`): CohortEntry => ({
  sessionId: asSessionId(sessionId),
  generationId: asGenerationId(generationId),
  generationSequence,
})

const found = ({ sessionId, generationId, generationSequence }: CohortEntry) => ({
  sessionId,
  generation: { generationId, generationSequence },
})

const root = entry('root')
const many = (count: number) => Array.from({ length: count }, (_, i) => entry(`s${i}`))

describe('a cohort is refused for what is wrong with it, by the field', () => {
  const cases: readonly (readonly [string, CohortEntry, readonly CohortEntry[], readonly (readonly unknown[])[]])[] = [
    ['nothing', root, [root], []],
    ['nothing, with others', root, [entry('other', 7), root], []],
    ['no entry', root, [], [['authorizedCohort']]],
    ['a root that is not in it', root, [entry('other')], [['authorizedCohort']]],
    ['a root in another generation', root, [entry('root', 1, 'another')], [['authorizedCohort']]],
    ['a root of another sequence', root, [entry('root', 2)], [['authorizedCohort']]],
    ['a session twice', root, [root, entry('x'), entry('x', 2)], [['authorizedCohort', 2, 'sessionId']]],
    ['the root twice', root, [root, root], [['authorizedCohort', 1, 'sessionId']]],
    ['an empty id', root, [root, entry('')], [['authorizedCohort', 1, 'sessionId']]],
    ['an id that is too long', root, [root, entry('x'.repeat(513))], [['authorizedCohort', 1, 'sessionId'], ['authorizedCohort', 1, 'generationId']]],
    ['a sequence of 0', entry('root', 0), [entry('root', 0)], [['root', 'generationSequence'], ['authorizedCohort', 0, 'generationSequence']]],
    ['a sequence that is not whole', root, [root, entry('x', 1.5)], [['authorizedCohort', 1, 'generationSequence']]],
    ['a sequence that is not safe', root, [root, entry('x', 2 ** 53)], [['authorizedCohort', 1, 'generationSequence']]],
    ['10,000 entries', root, [root, ...many(9_999)], []],
    ['10,001 entries', root, [root, ...many(10_000)], [['authorizedCohort']]],
  ]
  const named = cases.map(([what, top, cohort, paths]) => ({ what, top, cohort, paths }))

  test.each(named)('S61: $what', ({ top, cohort, paths }) => {
    expect(cohortIssues(top, cohort).map(({ path }) => path)).toEqual(paths)
  })

  test('S61: at most 100 issues are listed', () => {
    expect(cohortIssues(root, [root, ...Array.from({ length: 500 }, () => entry('x', 0))])).toHaveLength(100)
  })
})

describe('a cohort authorises what it names in exactly its generation, and nothing else', () => {
  test('S62: what is there is authorised; entries that are not there do not matter', () => {
    expect(cohortRefusal([root, entry('gone'), entry('child', 4)], [root, entry('child', 4)].map(found))).toBeUndefined()
  })

  test('S62: what is not is listed with what was expected', () => {
    const there = [root, entry('unknown', 2), entry('child', 5), entry('anew', 4, 'another')].map(found)
    expect(cohortRefusal([root, entry('child', 4), entry('anew', 4)], there)).toEqual({
      code: 'COHORT_MISMATCH',
      message:
        '3 of the sessions that would be deleted are not authorised in exactly their generation. Nothing was deleted. ' +
        'Read the cohort again and decide again.',
      sessions: [
        { sessionId: 'unknown', expected: null, actual: { generationId: 'g of unknown', generationSequence: 2 } },
        {
          sessionId: 'child',
          expected: { generationId: 'g of child', generationSequence: 4 },
          actual: { generationId: 'g of child', generationSequence: 5 },
        },
        {
          sessionId: 'anew',
          expected: { generationId: 'g of anew', generationSequence: 4 },
          actual: { generationId: 'another', generationSequence: 4 },
        },
      ],
      totalMismatches: 3,
    })
  })

  test('S62: at most 100 are listed, and all are counted', () => {
    const refusal = cohortRefusal([root], [root, ...many(250)].map(found))
    expect([refusal?.sessions.length, refusal?.totalMismatches]).toEqual([100, 250])
  })
})
