import { MAX_TITLE_BYTES } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import type { SessionFilter as StoreFilter } from '../../facade-types.ts'
import { validTitle } from '../../validated.ts'
import { SessionStatus } from './enums.ts'

/** Which sessions of a scope are listed. */
export const SessionFilter = builder.inputType('SessionFilter', {
  description: 'Which sessions are listed: those to which everything applies that is given.',
  fields: (t) => ({
    rootsOnly: t.boolean({ description: 'Only sessions without a parent. Default: false.' }),
    status: t.field({ type: SessionStatus, description: 'Only sessions with this status.' }),
    agent: t.string({ validate: validTitle, description: 'Only sessions of this subagent.' }),
    titleContains: t.string({
      validate: validTitle,
      description:
        'Only sessions whose title contains this text, whatever the case of ASCII letters. At most ' +
        `${MAX_TITLE_BYTES} UTF-8 bytes.`,
    }),
    updatedSince: t.field({ type: 'DateTime', description: 'Only sessions with activity at this time or later.' }),
  }),
})

type Given = typeof SessionFilter.$inferInput

export function storeFilter(given: Given | null | undefined): StoreFilter {
  const { rootsOnly, status, agent, titleContains, updatedSince } = given ?? {}
  return {
    ...(rootsOnly === true && { rootsOnly }),
    ...(status != null && { status }),
    ...(agent != null && { agent }),
    ...(titleContains != null && { titleContains }),
    ...(updatedSince != null && { updatedSince: updatedSince.getTime() }),
  }
}
