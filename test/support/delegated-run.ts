import type { DelegatedRun } from '../../src/ports/delegated-run-admission.ts'
import {
  asGenerationId,
  asQueueId,
  asRunId,
  asScopeId,
  asSessionId,
  asStorageKey,
} from '../../src/kernel/ids.ts'

/** The run of a subagent. */
export const delegatedRun = (signal: AbortSignal, runId = 'r2'): DelegatedRun => ({
  scopeId: asScopeId('scope'),
  storageKey: asStorageKey('scope'),
  sessionId: asSessionId('child'),
  generation: { generationId: asGenerationId('g2'), generationSequence: 2 },
  queueId: asQueueId('q2'),
  runId: asRunId(runId),
  parent: {
    sessionId: asSessionId('parent'),
    generation: { generationId: asGenerationId('g1'), generationSequence: 1 },
    queueId: asQueueId('q1'),
    runId: asRunId('r1'),
    toolCallId: 'call-1',
  },
  origin: { runId: asRunId('r1'), toolCallId: 'call-1' },
  agent: 'writer',
  depth: 1,
  signal,
})
