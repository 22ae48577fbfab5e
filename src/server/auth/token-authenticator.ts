import { timingSafeEqual } from 'node:crypto'
import type { Principal } from '../../domain/access/principal.ts'
import type { Authenticator } from './authenticator.ts'
import { tokenHash } from './token-hash.ts'

/** A token, of which only the hash is known, and whose it is. */
export interface TokenGrant {
  readonly hash: string
  readonly principal: Principal
}

/** No token of ours is longer; of a longer one not even the hash is computed. */
const MAX_TOKEN_LENGTH = 4096

/**
 * Knows the bearers of static tokens. How long it takes tells nothing: it compares hashes, in constant time, and always
 * with all of them.
 */
export function tokenAuthenticator(grants: readonly TokenGrant[]): Authenticator {
  const known = grants.map(({ hash, principal }) => ({ hash: Buffer.from(hash, 'hex'), principal }))
  return {
    async authenticate({ token }) {
      if (token === undefined || token.length > MAX_TOKEN_LENGTH) return undefined
      const presented = Buffer.from(tokenHash(token), 'hex')
      let bearer: Principal | undefined
      for (const { hash, principal } of known) if (timingSafeEqual(hash, presented)) bearer = principal
      return bearer
    },
  }
}
