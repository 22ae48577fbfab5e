/** Rows of a page for which no size is asked. */
export const DEFAULT_PAGE = 20
