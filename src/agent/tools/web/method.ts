/** What asks and changes nothing. */
export const methods = ['GET', 'HEAD'] as const

export type Method = (typeof methods)[number]
