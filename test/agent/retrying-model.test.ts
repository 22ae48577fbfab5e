import { APICallError, type LanguageModelV4 } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { retryingModel } from '../../src/agent/retrying-model.ts'
import { sdkModel } from '../../src/agent/sdk-model.ts'
import { AbortReason } from '../../src/kernel/abort.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { finish, scriptedModel, text } from './scripted-model.ts'
import { callOf, finishOf, stepOf, textOf } from './step.ts'

const identity = { provider: 'scripted', id: 'model' }

const busy = () =>
  new APICallError({ message: 'busy', url: 'http://model', requestBodyValues: {}, statusCode: 503, isRetryable: true })

/** A model that answers after it was asked this often in vain. */
function answersAfter(failures: readonly Error[]): LanguageModelV4 & { readonly asked: () => number } {
  let asked = 0
  const model = scriptedModel(...text('a', 'b'), finish)
  return {
    ...model,
    asked: () => asked,
    doStream: async (options) => {
      const failure = failures[asked++]
      if (failure) throw failure
      return model.doStream(options)
    },
  }
}

test('G22: the pauses are two seconds and four, and the last error is thrown as it is', async () => {
  const clock = virtualClock()
  const failures = [busy(), busy(), busy()]
  const model = answersAfter(failures)
  const step = stepOf(sdkModel(identity, retryingModel(model, clock)), callOf('hello'))
  const asked: number[] = []
  for (const ms of [0, 1_999, 1, 3_999, 1]) {
    await clock.advance(ms)
    asked.push(model.asked())
  }
  expect(asked).toEqual([1, 1, 2, 2, 3])
  expect((await step).thrown).toBe(failures[2])
})

test('G22: what does not pass by waiting is not tried again', async () => {
  const clock = virtualClock()
  const failure = new Error('no such model')
  const model = answersAfter([failure])
  expect((await stepOf(sdkModel(identity, retryingModel(model, clock)), callOf('hello'))).thrown).toBe(failure)
  expect(model.asked()).toBe(1)
})

test('an answer at the third try is an answer', async () => {
  const clock = virtualClock()
  const step = stepOf(sdkModel(identity, retryingModel(answersAfter([busy(), busy()]), clock)), callOf('hello'))
  await clock.advance(6_000)
  expect(textOf(await step)).toBe('ab')
  expect(finishOf(await step)?.reason).toBe('stop')
})

test('G24: an abort in a pause throws its reason and leaves no timer', async () => {
  const clock = virtualClock()
  const stop = new AbortController()
  const reason = new AbortReason('requested', 'enough')
  const model = answersAfter([busy()])
  const step = stepOf(sdkModel(identity, retryingModel(model, clock)), callOf('hello', { signal: stop.signal }))
  await clock.settle()
  expect(clock.pending).toBe(1)
  stop.abort(reason)
  expect((await step).thrown).toBe(reason)
  await clock.settle()
  expect(clock.pending).toBe(0)
  await clock.advance(60_000)
  expect(model.asked()).toBe(1)
})
