import {
  CLIENT_REQUEST_MEMORY_MS,
  MAX_ID_BYTES,
  MAX_METADATA_BYTES,
  MAX_METADATA_DEPTH,
  MAX_TITLE_BYTES,
} from '../../../domain/limits.ts'
import { asScopeId, type GenerationId, type SessionId } from '../../../kernel/ids.ts'
import type { JsonObject } from '../../../kernel/json.ts'
import { builder } from '../../builder.ts'
import { given } from '../../given.ts'
import { mutationResult } from '../../mutation-result.ts'
import { valueOf } from '../../refusal-error.ts'
import { commonRefusals } from '../../refusals.ts'
import { Session } from '../../refs.ts'
import { namedScope, storedUnder } from '../../scope-access.ts'
import { validId, validMetadata, validTitle } from '../../validated.ts'
import { type SessionView, sessionView } from '../../views.ts'

const DAYS_REMEMBERED = CLIENT_REQUEST_MEMORY_MS / (24 * 3_600_000)
const ID = `At most ${MAX_ID_BYTES} UTF-8 bytes without control characters.`

const CreateSessionInput = builder.inputType('CreateSessionInput', {
  description: 'What the new session is to be.',
  fields: (t) => ({
    scopeId: t.id({ required: true, validate: validId, description: `The scope. ${ID}` }),
    sessionId: t.id({
      validate: validId,
      description: `Its id; a random UUID when absent. One that exists is refused. ${ID}`,
    }),
    generationId: t.id({
      validate: validId,
      description: `The id of its incarnation; a random UUID when absent. ${ID}`,
    }),
    title: t.string({
      validate: validTitle,
      description: `At most ${MAX_TITLE_BYTES} UTF-8 bytes without control characters.`,
    }),
    metadata: t.field({
      type: 'JSON',
      validate: validMetadata,
      description:
        `A JSON object of your own: at most ${MAX_METADATA_BYTES} UTF-8 bytes, nested at most ` +
        `${MAX_METADATA_DEPTH} levels deep.`,
    }),
    clientRequestId: t.id({
      validate: validId,
      description:
        `Makes the request safe to repeat: for ${DAYS_REMEMBERED} days the same id with the same input gives the ` +
        `same session, with another input it is refused. Unique per scope. ${ID}`,
    }),
  }),
})

const CreateSessionPayload = builder.objectRef<{ readonly session: SessionView }>('CreateSessionPayload').implement({
  description: 'The session exists.',
  fields: (t) => ({ session: t.expose('session', { type: Session, description: 'The new session.' }) }),
})

builder.mutationField('createSession', (t) =>
  t.field({
    type: mutationResult('CreateSession', CreateSessionPayload, commonRefusals),
    nullable: true,
    description: 'Creates a root session.',
    args: { input: t.arg({ type: CreateSessionInput, required: true, description: 'What the new session is to be.' }) },
    resolve: async (_root, { input }, context) => {
      const scope = await namedScope(context, asScopeId(input.scopeId))
      const { metadata, ...fields } = given(input)
      const request = {
        ...(fields as typeof fields & Ids),
        scopeId: scope.scopeId,
        ...(metadata !== undefined && { metadata: plain(metadata) }),
      }
      const row = valueOf(await context.harness.createSession(request, context.caller))
      return { session: sessionView(storedUnder(scope, row.scopeKey), row) }
    },
  }),
)

interface Ids {
  readonly sessionId?: SessionId
  readonly generationId?: GenerationId
}

/** What a literal in a document becomes is not all plain JSON: a variable that is absent in it is undefined. */
const plain = (metadata: unknown): JsonObject => JSON.parse(JSON.stringify(metadata)) as JsonObject
