import { APICallError, type LanguageModelV4 } from '@ai-sdk/provider'
import { wrapLanguageModel } from 'ai'
import type { Clock } from '../ports/clock.ts'

/** How long to wait before the second try and before the third, when the provider does not say. */
const PAUSES_MS = [2_000, 4_000]
/** Who says that it takes longer is not waited for. */
const LONGEST_PAUSE_MS = 60_000

/**
 * The same model, which is asked again when it cannot answer for now: when it says, at most twice, and only as long as
 * nothing of an answer has come. A pause ends with the call's signal, and throws its reason.
 */
export const retryingModel = (model: LanguageModelV4, clock: Clock): LanguageModelV4 =>
  wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      wrapStream: async ({ doStream, params: { abortSignal } }) => {
        for (const usual of PAUSES_MS) {
          try {
            return await doStream()
          } catch (error) {
            abortSignal?.throwIfAborted()
            const pause = pauseAfter(error, usual)
            if (pause > LONGEST_PAUSE_MS) throw error
            await clock.sleep(pause, abortSignal)
          }
        }
        return doStream()
      },
    },
  })

/** Milliseconds; for ever when another try is of no use. */
function pauseAfter(error: unknown, usual: number): number {
  const causes = causesOf(error)
  if (!isForNow(error) || causes.some(isSilence)) return Infinity
  return causes.map(asked).find((ms) => ms !== undefined) ?? usual
}

const isForNow = (error: unknown): boolean =>
  error instanceof Error && 'isRetryable' in error && error.isRetryable === true

/** Who said nothing for so long would only begin anew. */
const isSilence = (cause: Error): boolean =>
  'code' in cause && (cause.code === 'UND_ERR_HEADERS_TIMEOUT' || cause.code === 'UND_ERR_BODY_TIMEOUT')

/** The pause that the provider asks for, in milliseconds. A date instead of seconds counts as nothing said. */
function asked(cause: Error): number | undefined {
  const headers = APICallError.isInstance(cause) ? (cause.responseHeaders ?? {}) : {}
  const ms = Number.parseFloat(headers['retry-after-ms'] ?? '')
  const seconds = Number.parseFloat(headers['retry-after'] ?? '')
  return [ms, seconds * 1_000].find((pause) => pause >= 0)
}

function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = []
  for (let cause = error; cause instanceof Error && !causes.includes(cause); cause = cause.cause) causes.push(cause)
  return causes
}
