import { builder } from '../../builder.ts'
import { Harness } from './type.ts'

builder.queryField('harness', (t) =>
  t.field({
    type: Harness,
    description: 'What this harness is and can do.',
    resolve: (_root, _args, { harness }) => harness.info,
  }),
)
