import { Fault } from '../../kernel/fault.ts'
import type { Refusal, RefusalCode, RefusalOf } from '../../kernel/refusal.ts'

/** A refusal that is one of those that a verb may meet. Any other is a fault of ours. */
export function expected<C extends RefusalCode>(refusal: Refusal, ...codes: readonly C[]): RefusalOf<C> {
  if (codes.some((code) => code === refusal.code)) return refusal as RefusalOf<C>
  throw new Fault('harness', `A verb was refused with ${refusal.code}.`)
}
