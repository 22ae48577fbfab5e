import { expect, test } from 'vitest'
import type { SubagentDefinition } from '../../src/domain/delegation/definition.ts'
import { World } from '../support/world.ts'

const researcher: SubagentDefinition = { name: 'researcher', description: 'Finds things out.' }

test('G101: subagents are checked at construction, all at once, before anything else is touched', () => {
  const subagents = [{ ...researcher, name: ' ' }, { ...researcher, maxSteps: 0 }]
  const wrong = () => new World({ subagents })
  expect(wrong).toThrow(TypeError)
  expect(wrong).toThrow('subagents.0.name must not be empty or blank.\nsubagents.1.maxSteps must be a positive integer.')
})

test('G100: what the application does to its definitions later changes nothing', () => {
  const mine = { ...researcher }
  const { harness } = new World({ subagents: [mine] })
  mine.name = 'other'
  expect(harness.info.subagents).toEqual([researcher])
  expect(new World().harness.info.subagents).toEqual([])
})

test('G103: how far runs may delegate has its limits', () => {
  expect(new World().harness.info.limits).toMatchObject({ maxSubagentDepth: 1, maxSubagentCallsPerRun: 32 })
  const { limits } = new World({ limits: { maxSubagentDepth: 8, maxSubagentCallsPerRun: 128 } }).harness.info
  expect(limits).toMatchObject({ maxSubagentDepth: 8, maxSubagentCallsPerRun: 128 })
  for (const limit of [{ maxSubagentDepth: 9 }, { maxSubagentDepth: 0 }, { maxSubagentCallsPerRun: 129 }]) {
    expect(() => new World({ limits: limit })).toThrow(RangeError)
  }
})
