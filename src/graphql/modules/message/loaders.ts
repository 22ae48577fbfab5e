import type { MessageKey, MessageRow, MessagesQuery, PartKey, PartRow, Stores } from '../../facade-types.ts'
import { batchLoader, rowLoader } from '../../row-loader.ts'

export const messageLoaders = (messages: Stores['messages']) => ({
  byId: rowLoader(
    (ids) => messages.findMany(ids),
    (row: MessageRow) => row.messageId,
  ),
  pages: batchLoader((queries: readonly MessagesQuery[]) => messages.pages(queries)),
  /** All parts of a message. */
  parts: batchLoader(async (keys: readonly MessageKey[]) => {
    const parts = Map.groupBy(await messages.parts(keys), messageText)
    return keys.map((key) => parts.get(messageText({ ...key, messageIndex: key.index })) ?? [])
  }),
  part: batchLoader(async (keys: readonly PartKey[]) => {
    const parts = new Map((await messages.findParts(keys)).map((part) => [partText(part), part]))
    return keys.map((key) => parts.get(partText({ ...key, messageIndex: key.index })) ?? null)
  }),
})

const messageText = ({ sessionKey, messageIndex }: Pick<PartRow, 'sessionKey' | 'messageIndex'>): string =>
  `${sessionKey}/${messageIndex}`

const partText = (part: Pick<PartRow, 'sessionKey' | 'messageIndex' | 'partIndex'>): string =>
  `${messageText(part)}/${part.partIndex}`
