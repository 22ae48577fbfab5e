import { createHash } from 'node:crypto'

/** What is kept of a token: SHA-256, in hexadecimal. */
export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('hex')
