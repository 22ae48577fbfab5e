import { cutUtf8, storable } from '../../kernel/text.ts'
import { MAX_ERROR_MESSAGE_BYTES } from '../../domain/limits.ts'

/** A message as it is stored and shown. */
export const shown = (message: string): string => cutUtf8(storable(message), MAX_ERROR_MESSAGE_BYTES)
