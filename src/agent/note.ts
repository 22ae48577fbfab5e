import type { TextPart } from 'ai'

const NAMESPACE = 'flexharness'

/** A text in a user message that the harness wrote, not the user. Providers ignore the mark. */
export const note = (text: string): TextPart => ({
  type: 'text',
  text: `[${text}]`,
  providerOptions: { [NAMESPACE]: { note: true } },
})

/** Whether the harness wrote it. */
export const isNote = ({ providerOptions }: Pick<TextPart, 'providerOptions'>): boolean =>
  providerOptions?.[NAMESPACE]?.['note'] === true
