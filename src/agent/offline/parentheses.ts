/**
 * Where the parentheses of a text that belong together open and close, each by the place of its other half. Those without
 * another half, as in `:(`, are no parentheses.
 */
export function parenthesesOf(text: string): ReadonlyMap<number, number> {
  const halves = new Map<number, number>()
  const open: number[] = []
  for (const { 0: half, index } of text.matchAll(/[()]/g)) {
    if (half === '(') {
      open.push(index)
      continue
    }
    const start = open.pop()
    if (start !== undefined) halves.set(start, index).set(index, start)
  }
  return halves
}
