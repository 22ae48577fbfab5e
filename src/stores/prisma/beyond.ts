/**
 * Greater than every number that is stored, and exact. Where there is no bound it is the bound, so that SQL has one
 * form.
 */
export const BEYOND = 2 ** 53
