const MAX_DOCUMENTS = 512
/** A longer document is rather a prompt written into it than one that comes again. */
const MAX_LENGTH = 16 * 1024

/** What a cache of the server for parsed documents offers to it. */
interface Cache<T> {
  get(text: string): T | undefined
  set(text: string, value: T): void
}

/** Keeps what was made of the documents used last. Bounded in number and in length: what is longer is not kept. */
export function documentCache<T>(): Cache<T> {
  const kept = new Map<string, T>()
  const keep = (text: string, value: T): void => {
    kept.delete(text)
    kept.set(text, value)
  }
  return {
    get(text) {
      const value = kept.get(text)
      if (value !== undefined) keep(text, value)
      return value
    },
    set(text, value) {
      if (text.length > MAX_LENGTH) return
      keep(text, value)
      const [oldest] = kept.keys()
      if (kept.size > MAX_DOCUMENTS && oldest !== undefined) kept.delete(oldest)
    },
  }
}
