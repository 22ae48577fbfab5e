/**
 * The codec of texts that somebody else chooses and that rows are found by: NUL and lone surrogates are escaped, and
 * the backslash that begins an escape. Equal texts stay equal, different ones different, all others as they are; no
 * text grows to more than twice its bytes, as indexes hold little.
 */
export const escapedText = {
  encode: (text: string): string =>
    text.replaceAll(/[\\\0]|\p{Surrogate}/gu, (unit) => escapes.get(unit) ?? `\\${unit.charCodeAt(0).toString(16)}`),
  decode: (text: string): string =>
    text.replaceAll(/\\(\\|0|d[0-9a-f]{3})/g, (_, escape: string) => {
      if (escape === '\\') return '\\'
      return String.fromCharCode(Number.parseInt(escape, 16))
    }),
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\\', String.raw`\\`],
  ['\0', String.raw`\0`],
])
