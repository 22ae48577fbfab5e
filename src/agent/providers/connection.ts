import { Fault } from '../../kernel/fault.ts'
import type { ProviderConfig } from '../models-config.ts'
import { providerFetch } from './provider-fetch.ts'
import type { Connection, Vendor } from './vendor.ts'

/** Headers by which a caller proves who it is, in lower case. */
const PROOFS = ['authorization', 'x-api-key', 'x-goog-api-key']
/** What a header can carry, without blanks. */
const KEY = /^[\x21-\x7e]+$/

/**
 * How a provider is reached: a function that throws while its key is missing. Both throw faults of the resolver; what
 * cannot be right is thrown at once. None of them shows a key.
 */
export function connectionOf(name: string, config: ProviderConfig, vendor: Vendor): () => Connection {
  const { apiKey, silenceMs = vendor.silenceMs } = config
  const fault = (problem: string) => new Fault('resolver', `The provider ${name} has ${problem}.`)
  if (apiKey !== undefined && !KEY.test(apiKey)) throw fault('blanks or control characters in its API key')
  if (!Number.isSafeInteger(silenceMs) || silenceMs < 0) throw fault('a silence that is no number of milliseconds')

  const url = URL.parse(config.baseURL ?? vendor.baseURL)
  if (!url || !/^https?:$/.test(url.protocol)) throw fault('a base URL that is no http or https URL')
  const headers = headersOf(url, config)
  if (!headers) throw fault('a malformed header, or a malformed user in its base URL')

  const needsKey = vendor.keyVariable !== null && config.baseURL === undefined
  const isProven = apiKey !== undefined || PROOFS.some((proof) => proof in headers)
  const connection: Connection = {
    apiKey: apiKey ?? 'none',
    baseURL: withoutUser(url),
    fetch: providerFetch({ headers, omitted: apiKey === undefined ? vendor.keyHeader : null, silenceMs }),
  }
  return () => {
    if (isProven || !needsKey) return connection
    throw new Fault('resolver', `The provider ${name} has no API key: set apiKey, on a server ${vendor.keyVariable}.`)
  }
}

/** By name in lower case; undefined when one is malformed. */
function headersOf(url: URL, { headers }: ProviderConfig): Readonly<Record<string, string>> | undefined {
  try {
    return { ...basicAuthentication(url), ...Object.fromEntries(new Headers({ ...headers })) }
  } catch {
    return undefined
  }
}

/** What stands before the host in a URL, where `fetch` would refuse it. */
function basicAuthentication({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

function withoutUser(url: URL): string {
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  return bare.href.replace(/\/$/, '')
}
