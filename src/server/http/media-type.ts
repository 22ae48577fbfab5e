import type { IncomingMessage } from 'node:http'
import type { HttpRefusal } from './http-refusal.ts'

const ACCEPTED = ['application/json', 'application/graphql+json']

/**
 * Refuses a body that is not plain JSON in UTF-8. A web page can send other kinds of bodies to any server without
 * asking it; JSON it cannot.
 */
export function foreignMediaType({ headers }: IncomingMessage): HttpRefusal | undefined {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';').map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length)
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset)
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity'
  return ACCEPTED.includes(type) && isUtf8 && isPlain ? undefined : refusal
}

const refusal: HttpRefusal = {
  status: 415,
  code: 'UNSUPPORTED_MEDIA_TYPE',
  message: 'A POST has the content type application/json or application/graphql+json, in UTF-8 and not compressed.',
  headers: { 'accept-post': ACCEPTED.join(', ') },
}
