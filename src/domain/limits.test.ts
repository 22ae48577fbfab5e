import { expect, test } from 'vitest'
import * as limits from './limits.ts'

const KIB = 1024
const MIB = 1024 * KIB

test('Q13: the limits of the harness, unless the application sets them', () => {
  expect(limits.defaultLimits).toEqual({
    maxOutstandingPromptsPerSession: 32,
    maxOutstandingPromptBytesPerSession: 8 * MIB,
    maxPromptBytes: MIB,
    maxAdmissionsInFlight: 1024,
    maxConcurrentRuns: 64,
    maxSteps: 32,
    maxParts: 1000,
    maxTextBytes: 4 * MIB,
    maxReasoningBytes: 4 * MIB,
    maxToolBytes: 8 * MIB,
    maxToolOutputBytes: 256 * KIB,
    toolTimeoutMs: 120_000,
    abortDeadlineMs: 10_000,
    maxSubagentDepth: 1,
    maxSubagentCallsPerRun: 32,
  })
  expect(limits.highestLimits).toEqual({ maxSubagentDepth: 8, maxSubagentCallsPerRun: 128 })
})

test('Q13: the limits that are fixed', () => {
  expect(limits).toMatchObject({
    MAX_ATTEMPTS: 10,
    MAX_ID_BYTES: 512,
    MAX_TITLE_BYTES: 1024,
    MAX_METADATA_BYTES: 16 * KIB,
    MAX_ERROR_MESSAGE_BYTES: 2048,
    MAX_ERROR_CODE_BYTES: 128,
    MAX_PAGE: 200,
    COUNT_CAP: 10_000,
    MAX_FINISHED_ENTRIES_SHOWN: 100,
    CLIENT_REQUEST_MEMORY_MS: 604_800_000,
  })
})
