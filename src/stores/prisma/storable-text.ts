/**
 * False for text that a text column cannot hold in every database: with NUL or a lone surrogate. No row has such
 * text.
 */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')
