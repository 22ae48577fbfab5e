import type { ModelIdentity } from '../domain/run/run.ts'
import { Fault } from '../kernel/fault.ts'
import type { Clock } from '../ports/clock.ts'
import type { ModelResolver } from '../ports/model.ts'
import { UnknownModelError } from '../ports/unknown-model-error.ts'
import { isProviderName, modelName, parseModelName } from './model-name.ts'
import type { ModelsConfig } from './models-config.ts'
import { offlineIdentity, offlineModel } from './offline-model.ts'
import { type Provider, providerOf } from './providers/provider.ts'
import { retryingModel } from './retrying-model.ts'
import { sdkModel } from './sdk-model.ts'

/**
 * The models of a configuration, by `provider:model`. Throws when the configuration names a provider that it does not
 * have, or has something malformed in it. Resolving a hint like that rejects with an `UnknownModelError`, which says what
 * there is; one of a provider without its key with a fault of the resolver.
 */
export function modelRegistry(config: ModelsConfig, clock: Clock): ModelResolver {
  const providers = providersOf(config, clock)

  const find = (name: string): { readonly identity: ModelIdentity; readonly provider: Provider } => {
    const identity = parseModelName(name)
    const provider = providers.get(identity.provider)
    if (provider) return { identity, provider }
    const names = [...providers.keys()].join(', ')
    throw new UnknownModelError(`There is no model provider ${JSON.stringify(identity.provider)}. There are: ${names}.`)
  }

  const listed = [config.default, ...(config.models ?? [])].map((name) => find(name).identity)
  return {
    known: distinct([...listed, offlineIdentity]),
    async resolve({ modelHint, signal }) {
      signal.throwIfAborted()
      const { identity, provider } = find(modelHint ?? config.default)
      return sdkModel(identity, retryingModel(await provider(identity.id), clock))
    },
  }
}

function providersOf({ providers }: ModelsConfig, clock: Clock): ReadonlyMap<string, Provider> {
  const configured = Object.entries(providers).map(([name, provider]): [string, Provider] => {
    if (name === offlineIdentity.provider) throw new Fault('resolver', `The name ${name} belongs to the offline model.`)
    if (!isProviderName(name)) throw new Fault('resolver', `${JSON.stringify(name)} cannot be the name of a provider.`)
    return [name, providerOf(name, provider)]
  })
  return new Map([[offlineIdentity.provider, offlineProvider(clock)], ...configured])
}

const offlineProvider = (clock: Clock): Provider => {
  const model = offlineModel(clock)
  return async (id) => {
    if (id === model.modelId) return model
    throw new UnknownModelError(`There is no model ${JSON.stringify(id)} offline, only ${modelName(offlineIdentity)}.`)
  }
}

const distinct = (models: readonly ModelIdentity[]): readonly ModelIdentity[] => [
  ...new Map(models.map((model) => [modelName(model), model])).values(),
]
