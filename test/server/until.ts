const DEADLINE_MS = 10_000
const STEP_MS = 5

/** Resolves as soon as the condition holds; fails with what was waited for when it does not hold in time. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`It did not happen: ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
  }
}
