/** What happens to a run whose process stopped: it goes on from its last durable step, or fails. */
export type RecoveryPolicy = 'RESUME' | 'FAIL'
