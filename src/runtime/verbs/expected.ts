import { Fault } from '../../kernel/fault.ts'
import type { Refusal, RefusalCode, RefusalOf } from '../../kernel/refusal.ts'

/** A refusal that is one of those that a verb may meet. Any other is a fault of ours. */
export function expected<C extends RefusalCode>(refusal: Refusal, ...codes: readonly C[]): RefusalOf<C> {
  if (isAmong(refusal, codes)) return refusal
  throw new Fault('harness', `A verb was refused with ${refusal.code}.`)
}

const isAmong = <C extends RefusalCode>(refusal: Refusal, codes: readonly C[]): refusal is RefusalOf<C> =>
  codes.some((code) => code === refusal.code)
