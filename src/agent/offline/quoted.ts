import { cutUtf8 } from '../../kernel/text.ts'

const MAX_BYTES = 200

/** A text as far as it is repeated, in quotation marks. */
export const quoted = (text: string, maxBytes = MAX_BYTES): string => {
  const cut = cutUtf8(text, maxBytes)
  return `"${cut}${cut === text ? '' : '…'}"`
}
