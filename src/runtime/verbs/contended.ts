import type { RefusalOf } from '../../kernel/refusal.ts'

export const contended: RefusalOf<'STORE_CONFLICT'> = {
  code: 'STORE_CONFLICT',
  message: 'Others changed the session at the same time, again and again. Nothing was changed; try again.',
}
