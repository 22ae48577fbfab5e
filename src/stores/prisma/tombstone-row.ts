import type { GenerationId, RunId, ScopeKey, SessionId, SessionKey } from '../../kernel/ids.ts'
import type { Provenance, Tombstone } from '../../domain/deletion/tombstone.ts'
import type { Tombstone as TombstoneModel } from './generated/sqlite/client.ts'
import type { ColumnsOf } from './table.ts'

export const tombstoneColumns: ColumnsOf<TombstoneModel> = {
  key: 'bigint',
  scopeKey: 'bigint',
  sessionId: 'text',
  generationId: 'text',
  generationSequence: 'bigint',
  path: 'text',
  depth: 'integer',
  groupKey: 'bigint',
  groupDepth: 'integer',
  parentSessionId: 'text',
  parentGenerationId: 'text',
  parentGenerationSequence: 'bigint',
  agent: 'text',
  parentRunId: 'text',
  parentToolCallId: 'text',
  deletedAt: 'bigint',
  deletedBy: 'text',
  owner: 'text',
  settled: 'boolean',
}

export const tombstoneOf = (model: TombstoneModel): Tombstone => ({
  key: Number(model.key) as SessionKey,
  scopeKey: Number(model.scopeKey) as ScopeKey,
  sessionId: model.sessionId as SessionId,
  generation: {
    generationId: model.generationId as GenerationId,
    generationSequence: Number(model.generationSequence),
  },
  path: model.path,
  depth: model.depth,
  group: Number(model.groupKey) as SessionKey,
  groupDepth: model.groupDepth,
  provenance: provenanceOf(model),
  deletedAt: Number(model.deletedAt),
  deletedBy: model.deletedBy,
  owner: model.owner,
  settled: model.settled,
})

function provenanceOf(model: TombstoneModel): Provenance | null {
  const { parentSessionId, parentGenerationId, parentGenerationSequence, agent, parentRunId, parentToolCallId } = model
  if (parentSessionId === null || parentGenerationId === null || parentGenerationSequence === null) return null
  if (agent === null || parentRunId === null || parentToolCallId === null) return null
  return {
    parent: {
      sessionId: parentSessionId as SessionId,
      generation: {
        generationId: parentGenerationId as GenerationId,
        generationSequence: Number(parentGenerationSequence),
      },
    },
    origin: { parentRunId: parentRunId as RunId, parentToolCallId },
    agent,
  }
}
