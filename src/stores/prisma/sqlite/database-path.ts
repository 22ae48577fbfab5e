/** Stands for a database without a file, which lives as long as its connection. */
export const IN_MEMORY = ':memory:'

/** The path of a SQLite URL, which is a path, `file:` and a path, or `:memory:`. */
export function databasePath(url: string): string {
  return url.replace(/^file:/, '')
}
