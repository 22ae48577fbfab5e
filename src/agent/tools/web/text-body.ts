import type { IncomingMessage } from 'node:http'

const MAX_BYTES = 1024 * 1024
const CUT = '\n… [cut after 1 MiB]'

/**
 * The body of an answer as text, at most 1 MiB of it; null for what is no text, which is not read. Ends the connection.
 * Rejects when the body breaks off.
 */
export async function textBody(response: IncomingMessage): Promise<string | null> {
  if (!isText(response)) {
    response.destroy()
    return null
  }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MAX_BYTES) break
  }
  const isCut = bytes > MAX_BYTES
  const text = decoderFor(response).decode(Buffer.concat(chunks).subarray(0, MAX_BYTES), { stream: isCut })
  return isCut ? text + CUT : text
}

const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|toml|javascript|ecmascript|x-ndjson|x-yaml)\b|image\/svg)/i

function isText({ headers }: IncomingMessage): boolean {
  const { 'content-type': type = 'text/plain', 'content-encoding': encoding = 'identity' } = headers
  return TEXT.test(type) && encoding.toLowerCase() === 'identity'
}

function decoderFor({ headers }: IncomingMessage): TextDecoder {
  const charset = /charset="?([\w:.-]+)/i.exec(headers['content-type'] ?? '')?.[1]
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
