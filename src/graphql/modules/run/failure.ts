import type { ErrorView } from '../../../domain/run/outcome.ts'
import { MAX_ERROR_CODE_BYTES, MAX_ERROR_MESSAGE_BYTES } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'

export const Failure = builder.objectRef<ErrorView>('Failure').implement({
  description:
    'Why something did not complete, fit to be shown: never the raw words of a provider, a stack or a secret.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description: `Stable, for programs, such as ABORTED or INTERRUPTED. At most ${MAX_ERROR_CODE_BYTES} UTF-8 bytes.`,
    }),
    message: t.exposeString('message', {
      description: `For people, in English. At most ${MAX_ERROR_MESSAGE_BYTES} UTF-8 bytes.`,
    }),
    source: t.exposeString('source', { description: 'Whose code failed, such as `harness` or `model`.' }),
  }),
})
