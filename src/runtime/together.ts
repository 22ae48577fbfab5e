/** Failures that are reported at once, as one error. */
export const together = (failures: readonly unknown[], message = 'Several things failed.'): unknown =>
  failures.length === 1 ? failures[0] : new AggregateError(failures, message)
