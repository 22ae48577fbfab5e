import { expect, test } from 'vitest'
import { type Role, roles, suffices } from './role.ts'

test.each<[Role, readonly Role[]]>([
  ['VIEWER', ['VIEWER']],
  ['OPERATOR', ['VIEWER', 'OPERATOR']],
  ['ADMIN', ['VIEWER', 'OPERATOR', 'ADMIN']],
])('A41: %s may what needs one of %j, and nothing else', (role, needs) => {
  expect(roles.filter((least) => suffices(role, least))).toEqual(needs)
})
