/** How long a transaction may wait for its beginning, and then take until its last statement. */
export const transactionOptions = { maxWait: 5000, timeout: 10_000 } as const
