import { type Role, roles } from '../../domain/access/role.ts'
import { scopePatternRule } from '../../domain/access/scope-pattern.ts'
import type { TokenGrant } from '../auth/token-authenticator.ts'
import { tokenHash } from '../auth/token-hash.ts'

/** How much of a token's hash names its bearer. */
const ID_LENGTH = 8

/** A token ends before the first `=ROLE:`, so it may have `=` itself, as those in base64 do. */
const ENTRY = new RegExp(`^(?<token>.*?)=(?<role>${roles.join('|')}):(?<patterns>.*)$`, 's')
/** What looks like an entry, but for its role. */
const OTHER_ROLE = /^(?<token>.*?)=(?<role>\w*):(?<patterns>.*)$/s

/** What a header can carry, without what separates entries. */
const TOKEN = /^[\x21-\x3a\x3c-\x7e]{1,4096}$/

type EntryReading =
  | { readonly ok: true; readonly grant: TokenGrant }
  /** What is wrong, in words that show nothing of the entry. */
  | { readonly ok: false; readonly problems: readonly string[] }

type TokensReading =
  | { readonly ok: true; readonly grants: readonly TokenGrant[] }
  | { readonly ok: false; readonly problems: readonly string[] }

/**
 * Reads `TOKEN=ROLE:SCOPE,SCOPE;…`. Keeps no token, only its hash. Whatever is wrong is told by the number of the entry:
 * the text may hold tokens wherever they were misplaced.
 */
export function readTokens(text: string): TokensReading {
  const entries = text
    .split(';')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  if (entries.length === 0) return { ok: false, problems: ['must have at least one entry, or be left out'] }
  const readings = entries.map(readEntry)
  const grants = readings.flatMap((reading) => (reading.ok ? [reading.grant] : []))
  const problems = readings.flatMap((reading, i) => {
    const found = reading.ok ? repeated(reading.grant, readings.slice(0, i)) : reading.problems
    return found.map((problem) => `entry ${i + 1}: ${problem}`)
  })
  return problems.length > 0 ? { ok: false, problems } : { ok: true, grants }
}

function readEntry(entry: string): EntryReading {
  const parts = (ENTRY.exec(entry) ?? OTHER_ROLE.exec(entry))?.groups
  if (!parts) return { ok: false, problems: ['must be TOKEN=ROLE:SCOPE,SCOPE'] }
  const { token = '', role = '', patterns = '' } = parts
  const scopes = patterns.split(',').map((pattern) => pattern.trim())
  const faulty = scopes.flatMap((pattern, i) => {
    const problem = scopePatternRule(pattern)
    return problem === undefined ? [] : [`scope ${i + 1} ${problem}`]
  })
  const problems = [
    ...(TOKEN.test(token) ? [] : ['its token must have 1 to 4096 visible ASCII characters, without spaces']),
    ...(isRole(role) ? [] : [`its role must be one of ${roles.join(', ')}`]),
    ...faulty,
  ]
  if (problems.length > 0 || !isRole(role)) return { ok: false, problems: [problems.join('; ')] }
  const hash = tokenHash(token)
  return { ok: true, grant: { hash, principal: { id: `token:${hash.slice(0, ID_LENGTH)}`, role, scopes } } }
}

const isRole = (text: string): text is Role => roles.some((role) => role === text)

/** Two bearers of one name could not be told apart; it is the same token, but for a chance of one in four billion. */
function repeated({ principal }: TokenGrant, before: readonly EntryReading[]): readonly string[] {
  const first = before.findIndex((reading) => reading.ok && reading.grant.principal.id === principal.id)
  return first < 0 ? [] : [`has the token of entry ${first + 1}`]
}

/** The entries without their tokens. */
export const maskedTokens = (grants: readonly TokenGrant[]): string =>
  grants.map(({ principal }) => `***=${principal.role}:${principal.scopes.join(',')}`).join(';')
