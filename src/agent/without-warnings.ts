import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'

/** The same model without the warnings with which it begins its streams: the SDK would print them. */
export const withoutWarnings = (model: LanguageModelV4): LanguageModelV4 => ({
  specificationVersion: model.specificationVersion,
  provider: model.provider,
  modelId: model.modelId,
  get supportedUrls() {
    return model.supportedUrls
  },
  doGenerate: async (options) => ({ ...(await model.doGenerate(options)), warnings: [] }),
  doStream: async (options) => {
    const result = await model.doStream(options)
    return { ...result, stream: result.stream.pipeThrough(new TransformStream({ transform: passSilently })) }
  },
})

type Controller = TransformStreamDefaultController<LanguageModelV4StreamPart>

function passSilently(part: LanguageModelV4StreamPart, controller: Controller): void {
  controller.enqueue(part.type === 'stream-start' ? { ...part, warnings: [] } : part)
}
