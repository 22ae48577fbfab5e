import type { PermissionId } from '../kernel/ids.ts'
import type { Resolution } from '../domain/permission/permission.ts'

/**
 * Where runs of this process wait for answers to their requests.
 *
 * Owns who waits. An answer is handed out in the turn in which it became durable; an answer for which nobody waits
 * here is for another process, or for a run that is over.
 */
export class PermissionDesk {
  readonly #waiting = new Map<PermissionId, (resolution: Resolution) => void>()

  /** The answer to a request that is about to be made. Whoever takes it away again has to `forget`. */
  expect(permissionId: PermissionId): Promise<Resolution> {
    const { promise, resolve } = Promise.withResolvers<Resolution>()
    this.#waiting.set(permissionId, resolve)
    return promise
  }

  answer(permissionId: PermissionId, resolution: Resolution): void {
    this.#waiting.get(permissionId)?.(resolution)
    this.#waiting.delete(permissionId)
  }

  forget(permissionId: PermissionId): void {
    this.#waiting.delete(permissionId)
  }
}
