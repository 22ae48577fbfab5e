import type { Clock } from '../../ports/clock.ts'

/** How work ended: with a value, with an error, or not in time. */
export type Settled<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'abandoned' }

/** Waits for work, but once the signal has aborted for at most `graceMs` more. What comes later is ignored. Never rejects. */
export async function settled<T>(
  clock: Clock,
  { signal, graceMs }: { readonly signal: AbortSignal; readonly graceMs: number },
  work: Promise<T>,
): Promise<Settled<T>> {
  const { promise: over, resolve: abandon } = Promise.withResolvers<Settled<T>>()
  let cancel: (() => void) | undefined
  const onAbort = () => {
    cancel = clock.after(graceMs, () => abandon({ kind: 'abandoned' }))
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([
      over,
      work.then(
        (value) => ({ kind: 'value', value }) as const,
        (error: unknown) => ({ kind: 'error', error }) as const,
      ),
    ])
  } finally {
    signal.removeEventListener('abort', onAbort)
    cancel?.()
  }
}
