import type { DelegatedRunLease } from '../../ports/delegated-run-admission.ts'

/** The application's provider broke its contract. Made by the harness, so its message is safe to show. */
export class InvalidLease extends Error {
  override readonly name = 'InvalidLease'
}

/** The lease, if it is one; `close` is the one that it has now. Throws an `InvalidLease` otherwise. */
export function checkedLease(given: unknown): DelegatedRunLease {
  const isObject = (typeof given === 'object' && given !== null) || typeof given === 'function'
  const close: unknown = isObject && 'close' in given ? given.close : undefined
  if (typeof close !== 'function') {
    throw new InvalidLease('delegatedRunAdmission.acquire: return a lease, which is an object with a function "close".')
  }
  return {
    async close() {
      await Reflect.apply(close, given, [])
    },
  }
}
