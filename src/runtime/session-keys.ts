import { asSessionKey, type SessionKey } from '../kernel/ids.ts'
import type { SessionStore } from '../ports/stores/sessions.ts'

const BLOCK = 100

/** Hands out row keys of sessions, reserved from the store in blocks. Keys that a process does not use are lost. */
export class SessionKeys {
  readonly #store: SessionStore
  #free: SessionKey[] = []
  #reserving: Promise<void> | undefined

  constructor(store: SessionStore) {
    this.#store = store
  }

  async next(): Promise<SessionKey> {
    for (;;) {
      const key = this.#free.shift()
      if (key !== undefined) return key
      this.#reserving ??= this.#reserve()
      await this.#reserving
    }
  }

  async #reserve(): Promise<void> {
    try {
      const first = await this.#store.reserveKeys(BLOCK)
      this.#free = Array.from({ length: BLOCK }, (_, i) => asSessionKey(first + i))
    } finally {
      this.#reserving = undefined
    }
  }
}
