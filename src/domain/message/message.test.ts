import { expect, test } from 'vitest'
import { callWith } from '../../../test/support/content.ts'
import { isStreaming, type PartBody } from './message.ts'

const call = { ...callWith(), permissionId: null, begunAt: null, child: null, output: null, error: null }

test.each<[boolean, PartBody]>([
  [true, { kind: 'text', text: '' }],
  [true, { kind: 'reasoning', text: '' }],
  [false, { kind: 'attachment', mediaType: 'image/png', filename: null, url: 'data:,' }],
  [false, { kind: 'tool', ...call }],
])('M3: that it grows by text is %s of the part %o', (does, body) => {
  expect(isStreaming(body)).toBe(does)
})
