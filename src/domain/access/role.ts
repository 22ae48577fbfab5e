/** What a principal may do, from the least to the most: each role may all that the ones before it may. */
export const roles = ['VIEWER', 'OPERATOR', 'ADMIN'] as const

export type Role = (typeof roles)[number]

/** Whether `role` may do what needs `least`. */
export const suffices = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least)
