import type { IncomingMessage } from 'node:http'

/** The path of a request, as it was sent, without its query. */
export const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] ?? ''
