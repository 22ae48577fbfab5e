/** `ok`, or what a caller can tell an error of Prisma by: its code, else its name and message. */
export function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'ok',
    (error: Error & { code?: string }) => error.code ?? `${error.name}: ${error.message}`,
  )
}
