import { Lexer, Source, TokenKind } from 'graphql'

const OPENING = new Set<TokenKind>([TokenKind.BRACE_L, TokenKind.PAREN_L, TokenKind.BRACKET_L])
const CLOSING = new Set<TokenKind>([TokenKind.BRACE_R, TokenKind.PAREN_R, TokenKind.BRACKET_R])

/**
 * How deep the brackets of a document stand within one another, as far as it can be read and up to `most`: the parser,
 * and what works on its result, calls itself once for each of them.
 */
export function nestingOf(document: string | Source, most: number): number {
  const lexer = new Lexer(typeof document === 'string' ? new Source(document) : document)
  let depth = 0
  let deepest = 0
  try {
    for (let { kind } = lexer.advance(); kind !== TokenKind.EOF && deepest < most; { kind } = lexer.advance()) {
      if (OPENING.has(kind)) deepest = Math.max(deepest, ++depth)
      else if (CLOSING.has(kind)) depth--
    }
  } catch {
    // What cannot be read is the parser's to complain about.
  }
  return deepest
}
