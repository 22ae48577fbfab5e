import type { LanguageModelV4 } from '@ai-sdk/provider'
import { type ModelMessage, streamText } from 'ai'
import type { ModelIdentity } from '../domain/run/run.ts'
import { AbortReason, LinkedController } from '../kernel/abort.ts'
import { Fault } from '../kernel/fault.ts'
import type { Model, StepCall, StepPart } from '../ports/model.ts'
import { contextOf } from './context.ts'
import { stepOutput } from './step-output.ts'
import { stepParts } from './step-parts.ts'
import { toolSetOf } from './tool-set.ts'
import { withoutWarnings } from './without-warnings.ts'

/**
 * A language model of the SDK as a model of the harness: one call of `streamText` per step.
 *
 * Whatever way a step ends, its request to the provider ends with it.
 */
export function sdkModel(identity: ModelIdentity, languageModel: LanguageModelV4): Model {
  const model = withoutWarnings(languageModel)
  return { identity, stream: (call) => stream({ identity, model }, call) }
}

interface Asked {
  readonly identity: ModelIdentity
  readonly model: LanguageModelV4
}

async function* stream(
  { identity: { provider }, model }: Asked,
  { system, log, tools, signal }: StepCall,
): AsyncGenerator<StepPart> {
  signal.throwIfAborted()
  using request = new LinkedController(signal)
  let answer: readonly ModelMessage[] = []
  let isWhole = false
  const translated = stepParts(() => {
    // The SDK takes an answer without an end for a whole one.
    if (!isWhole) throw endless()
    return stepOutput(provider, answer)
  })
  try {
    const result = streamText({
      model,
      messages: contextOf(log, provider),
      ...(tools.length > 0 && { tools: toolSetOf(tools) }),
      ...(system !== null && { instructions: system }),
      abortSignal: request.signal,
      maxRetries: 0,
      telemetry: { isEnabled: false },
      experimental_download: refuseDownload,
      onError: thrownInstead,
      onLanguageModelCallEnd: () => {
        isWhole = true
      },
      onStepEnd: ({ response }) => {
        answer = response.messages
      },
    })
    for await (const part of result.stream) {
      for (const ours of translated(part)) yield ours
      if (part.type === 'finish') return
    }
    throw endless()
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    request.abort(new AbortReason('requested', 'The step is over.'))
  }
}

const endless = () => new Fault('model', 'The stream of the model ended before its answer did.')

/** The content of attachments is in the log, so a URL would come from a model: not to be followed from here. */
const refuseDownload = async (files: readonly unknown[]): Promise<[]> => {
  if (files.length === 0) return []
  throw new Fault('model', 'The model answered with a file that would have to be downloaded.')
}

/** Without a handler the SDK prints errors. They are parts of the stream as well. */
const thrownInstead = (): void => undefined
