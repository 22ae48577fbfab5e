import type { Dispatcher, RequestInit as UndiciInit } from 'undici'

interface Terms {
  /** Sent in place of what the caller says. */
  readonly headers: Readonly<Record<string, string>>
  /** A header of the caller that is not sent. */
  readonly omitted: string | null
  /** How long the other side may send nothing before its headers, or between two pieces of its body. 0: for ever. */
  readonly silenceMs: number
}

/**
 * `fetch` on these terms. That of Node gives up after five minutes without a byte and cannot be told otherwise. Dead
 * connections are found by TCP keep-alive whatever the terms are.
 *
 * Redirects are answers, not followed: a key goes to the configured server and nowhere else.
 */
export function providerFetch({ headers, omitted, silenceMs }: Terms): typeof globalThis.fetch {
  const load = async () => {
    const { fetch, getGlobalDispatcher } = await import('undici')
    // The process's own dispatcher: it knows about proxies.
    return { fetch, dispatcher: getGlobalDispatcher().compose(patientFor(silenceMs)) }
  }
  let loading: ReturnType<typeof load> | undefined

  return async (input, init = {}) => {
    loading ??= load()
    const { fetch, dispatcher } = await loading
    const sent = new Headers(init.headers)
    if (omitted !== null) sent.delete(omitted)
    for (const [name, value] of Object.entries(headers)) sent.set(name, value)
    // The same types by another name.
    const url = input instanceof Request ? input.url : input
    const request = { ...init, headers: Object.fromEntries(sent), redirect: 'manual' } as UndiciInit
    return (await fetch(url, { ...request, dispatcher })) as unknown as Response
  }
}

const patientFor =
  (ms: number): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch({ ...options, headersTimeout: ms, bodyTimeout: ms }, handler)
