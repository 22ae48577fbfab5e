import type { LanguageModelV4 } from '@ai-sdk/provider'
import { wrapLanguageModel } from 'ai'
import type { ProviderConfig, Reasoning } from '../models-config.ts'
import { anthropic } from './anthropic.ts'
import { connectionOf } from './connection.ts'
import { gateway } from './gateway.ts'
import { google } from './google.ts'
import { openAiCompatible } from './openai-compatible.ts'
import { openai } from './openai.ts'
import type { Vendor } from './vendor.ts'

/** Gives the models of a provider by id. Throws a fault of the resolver when it has no such model, or no key. */
export type Provider = (id: string) => Promise<LanguageModelV4>

/**
 * The models of a configured provider. Its package is loaded with the first of them. Throws a fault of the resolver at
 * once when the configuration cannot be right.
 */
export function providerOf(name: string, config: ProviderConfig): Provider {
  const vendor = vendorOf(name, config)
  const connect = connectionOf(name, config, vendor)
  let models: ReturnType<Vendor['load']> | undefined
  return async (id) => {
    models ??= vendor.load(connect())
    return thinking((await models)(id), config.reasoning)
  }
}

function vendorOf(name: string, config: ProviderConfig): Vendor {
  switch (config.type) {
    case 'openai':
      return openai(config)
    case 'anthropic':
      return anthropic
    case 'google':
      return google(config)
    case 'gateway':
      return gateway
    case 'openai-compatible':
      return openAiCompatible(name, config)
  }
}

const thinking = (model: LanguageModelV4, reasoning: Reasoning | undefined): LanguageModelV4 =>
  reasoning === undefined
    ? model
    : wrapLanguageModel({
        model,
        middleware: {
          specificationVersion: 'v4',
          transformParams: async ({ params }) => ({ ...params, reasoning }),
        },
      })
