/**
 * The codec of documents: JSON text, in which NUL and lone surrogates are escaped, so that every database keeps them.
 * What comes out is what went in: nobody else writes these columns.
 */
export const document = {
  encode: (value: unknown): string => JSON.stringify(value),
  decode: (text: string): unknown => JSON.parse(text),
}
