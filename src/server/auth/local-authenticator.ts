import type { Principal } from '../../domain/access/principal.ts'
import { isLoopback } from '../config/is-loopback.ts'
import type { Authenticator } from './authenticator.ts'

const local: Principal = { id: 'local', role: 'ADMIN', scopes: ['*'] }

/** Whoever calls from this machine is `local`, who may do everything everywhere; nobody else is anybody. */
export const localAuthenticator: Authenticator = {
  authenticate: async ({ remoteAddress = '' }) => (isLoopback(remoteAddress.replace(/^::ffff:/, '')) ? local : undefined),
}
