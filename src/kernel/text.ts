const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** Length in UTF-8 bytes; a lone surrogate counts as the three bytes of U+FFFD. */
export const utf8Length = (text: string): number => Buffer.byteLength(text, 'utf8')

/** The longest prefix of whole code points with at most `maxBytes` UTF-8 bytes. */
export function cutUtf8(text: string, maxBytes: number): string {
  if (utf8Length(text) <= maxBytes) return text
  let bytes = 0
  let end = 0
  for (const codePoint of text) {
    bytes += utf8Length(codePoint)
    if (bytes > maxBytes) break
    end += codePoint.length
  }
  return text.slice(0, end)
}

/** Text that every store can keep: U+FFFD in place of NUL and of lone surrogates. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD')

/** Splits off a high surrogate at the end, whose other half may still come: `[whole, rest]`. */
export function splitWhole(text: string): readonly [whole: string, rest: string] {
  const last = text.charCodeAt(text.length - 1)
  return isHighSurrogate(last) ? [text.slice(0, -1), text.slice(-1)] : [text, '']
}
