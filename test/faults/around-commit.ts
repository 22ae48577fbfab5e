import type { Cut, Fault, FaultPlan } from '../support/postgres-fault.ts'

/** Faults that a COMMIT may meet, and how likely each is. */
const atCommit: readonly (readonly [weight: number, fault: (random: () => number) => Fault])[] = [
  [0.1, (random) => ({ kind: 'cutBefore', by: cut(random) })],
  [0.12, (random) => ({ kind: 'cutAfter', by: cut(random) })],
  [0.15, (random) => ({ kind: 'cutAndDeliver', by: cut(random), afterMs: Math.floor(random() ** 2 * 120) })],
  [0.005, () => ({ kind: 'silence' })],
  // Longer than the deadline of a commit, and around that.
  [0.003, (random) => ({ kind: 'delay', ms: 900 + Math.floor(random() * 600) })],
]

const cut = (random: () => number): Cut => (random() < 0.5 ? 'FIN' : 'RST')

/** Strikes around COMMIT, at the statement that resolves, and now and then anywhere. */
export const aroundCommit =
  (random: () => number): FaultPlan =>
  (sql) => {
    if (sql === 'COMMIT') return chosen(random)
    if (sql.includes('ON CONFLICT ("writeId")') && random() < 0.1) {
      return random() < 0.5 ? { kind: 'cutBefore', by: cut(random) } : { kind: 'cutAfter', by: cut(random) }
    }
    if (random() < 0.004) return { kind: 'cutLater', by: cut(random), messages: 1 + Math.floor(random() * 12) }
    return undefined
  }

function chosen(random: () => number): Fault | undefined {
  let left = random()
  for (const [weight, fault] of atCommit) {
    if (left < weight) return fault(random)
    left -= weight
  }
  return undefined
}

/** Every other COMMIT reaches the server after its client has been cut off. */
export const lateCommit =
  (random: () => number): FaultPlan =>
  (sql) =>
    sql === 'COMMIT' && random() < 0.5
      ? { kind: 'cutAndDeliver', by: cut(random), afterMs: 50 + Math.floor(random() * 100) }
      : undefined
