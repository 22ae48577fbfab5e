import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'

/** A streamed answer, one block after another, as a whole. Throws the error that the stream ended with. */
export async function generated(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = []
  for await (const part of stream) {
    switch (part.type) {
      case 'error':
        throw part.error
      case 'finish':
        return { content, finishReason: part.finishReason, usage: part.usage, warnings: [] }
      case 'text-start':
        content.push({ type: 'text', text: '' })
        break
      case 'tool-call':
        content.push(part)
        break
      case 'reasoning-start':
        content.push({ type: 'reasoning', text: '' })
        break
      case 'text-delta':
      case 'reasoning-delta': {
        const last = content.at(-1)
        if (last?.type === 'text' || last?.type === 'reasoning') last.text += part.delta
        break
      }
      default:
    }
  }
  throw new Error('The answer had no end.')
}
