import type { Generation as Incarnation } from '../../../kernel/ids.ts'
import { builder } from '../../builder.ts'

export const Generation = builder.objectRef<Incarnation>('Generation').implement({
  description: 'The incarnation of a session id: an id that is created anew has another one.',
  fields: (t) => ({
    generationId: t.exposeID('generationId', { description: 'Chosen by the creator, else a random UUID.' }),
    generationSequence: t.expose('generationSequence', {
      type: 'SafeInt',
      description: 'The revision of the scope that created it: higher than that of every earlier session of the scope.',
    }),
  }),
})
