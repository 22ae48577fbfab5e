/** What a process asks of its stores: all but the leases of processes. */
export const repositories = [
  'scopes',
  'sessions',
  'structure',
  'queue',
  'runs',
  'messages',
  'log',
  'permissions',
  'executions',
  'events',
  'requests',
  'unit',
] as const
