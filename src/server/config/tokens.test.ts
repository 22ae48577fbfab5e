import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { roles } from '../../domain/access/role.ts'
import { maskedTokens, readTokens } from './tokens.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

test('entries are read; of each token the hash is kept, and eight digits of it name the principal', () => {
  const hash = sha256('s3cret')
  expect(readTokens(' s3cret=VIEWER:default, acme/* ; other==ADMIN:* ;')).toEqual({
    ok: true,
    grants: [
      { hash, principal: { id: `token:${hash.slice(0, 8)}`, role: 'VIEWER', scopes: ['default', 'acme/*'] } },
      {
        hash: sha256('other='),
        principal: { id: `token:${sha256('other=').slice(0, 8)}`, role: 'ADMIN', scopes: ['*'] },
      },
    ],
  })
})

test.each<readonly [string, readonly string[]]>([
  ['', ['must have at least one entry, or be left out']],
  [' ; ;', ['must have at least one entry, or be left out']],
  ['s3cret', ['entry 1: must be TOKEN=ROLE:SCOPE,SCOPE']],
  ['s3cret=ADMIN', ['entry 1: must be TOKEN=ROLE:SCOPE,SCOPE']],
  ['s3cret:ADMIN=*', ['entry 1: must be TOKEN=ROLE:SCOPE,SCOPE']],
  ['s3cret=ROOT:*', ['entry 1: its role must be one of VIEWER, OPERATOR, ADMIN']],
  ['s3cret=admin:*', ['entry 1: its role must be one of VIEWER, OPERATOR, ADMIN']],
  ['s3cret=:*', ['entry 1: its role must be one of VIEWER, OPERATOR, ADMIN']],
  ['=ADMIN:*', ['entry 1: its token must have 1 to 4096 visible ASCII characters, without spaces']],
  ['s3 cret=ADMIN:*', ['entry 1: its token must have 1 to 4096 visible ASCII characters, without spaces']],
  ['s3crét=ADMIN:*', ['entry 1: its token must have 1 to 4096 visible ASCII characters, without spaces']],
  ['s3cret=ADMIN:', ['entry 1: scope 1 must not be empty']],
  ['s3cret=ADMIN:a,,b', ['entry 1: scope 2 must not be empty']],
  ['s3cret=ADMIN:a*b', ['entry 1: scope 1 may have a * at its end alone']],
  ['s3cret=ADMIN:**', ['entry 1: scope 1 may have a * at its end alone']],
  [
    'a=ADMIN:*;=ROOT:,b*c;s3cret;d=VIEWER:x;d=ADMIN:*',
    [
      'entry 2: its token must have 1 to 4096 visible ASCII characters, without spaces; ' +
        'its role must be one of VIEWER, OPERATOR, ADMIN; scope 1 must not be empty; scope 2 may have a * at its end alone',
      'entry 3: must be TOKEN=ROLE:SCOPE,SCOPE',
      'entry 5: has the token of entry 4',
    ],
  ],
])('V43: %j is told by one line for each faulty entry', (text, problems) => {
  expect(readTokens(text)).toEqual({ ok: false, problems })
})

test('V43: whatever is wrong, and wherever a token stands, no line shows it', () => {
  const piece = fc.constantFrom('=', ':', ';', ',', '*', ' ', 'ADMIN', 'VIEWER', 'role', 'scope', 'é', 'hunter2')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const reading = readTokens(pieces.join(''))
      expect(reading.ok ? '' : reading.problems.join('\n')).not.toContain('hunter2')
    }),
  )
})

test('V41: what is printed of entries has no token', () => {
  const token = fc.stringMatching(/^[!-:<-~]{5,20}$/).filter((text) => !/=(VIEWER|OPERATOR|ADMIN):/.test(text))
  fc.assert(
    fc.property(token, fc.constantFrom(...roles), (text, role) => {
      const reading = readTokens(`${text}=${role}:default,acme/*`)
      expect(reading.ok && maskedTokens(reading.grants)).toBe(`***=${role}:default,acme/*`)
    }),
  )
})
