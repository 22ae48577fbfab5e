const MAX_NAMES = 500
const MAX_LENGTH = 20_000

/**
 * Names for statements, so that a connection of PostgreSQL prepares each text once. There are only so many names, as
 * every prepared statement costs memory in every connection; what comes later, or is very long, goes unnamed: ''.
 */
export function statementNames(): (statement: { readonly sql: string }) => string {
  const named = new Map<string, string>()
  return ({ sql }) => {
    const known = named.get(sql)
    if (known !== undefined) return known
    if (named.size >= MAX_NAMES || sql.length > MAX_LENGTH) return ''
    const name = `s${named.size}`
    named.set(sql, name)
    return name
  }
}
