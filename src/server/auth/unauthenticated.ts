import type { HttpRefusal } from '../http/http-refusal.ts'

/** The same for whoever brings no token and whoever brings a wrong one. */
export const unauthenticated: HttpRefusal = {
  status: 401,
  code: 'UNAUTHENTICATED',
  message: 'This server needs a token that it knows, as `Authorization: Bearer …`.',
  headers: { 'www-authenticate': 'Bearer' },
}
