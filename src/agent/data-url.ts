const DATA_URL = /^data:(?<head>[^,]*),(?<body>.*)$/is

/** The content of a `data:` URL in base64. Total: what is no data URL has no content, bad encoding is read mildly. */
export function base64Of(url: string): string {
  const { head = '', body = '' } = DATA_URL.exec(url)?.groups ?? {}
  const bytes = percentDecoded(body)
  const isBase64 = /;\s*base64\s*$/i.test(head)
  return (isBase64 ? Buffer.from(bytes.toString('latin1'), 'base64') : bytes).toString('base64')
}

/** Bytes, since an escaped sequence need not be UTF-8; a `%` that starts no escape stands for itself. */
function percentDecoded(text: string): Buffer {
  return Buffer.from(Buffer.from(text).toString('latin1').replaceAll(/%([0-9a-f]{2})/gi, charOf), 'latin1')
}

const charOf = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))
