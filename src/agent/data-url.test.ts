import fc from 'fast-check'
import { expect, test } from 'vitest'
import { base64Of } from './data-url.ts'

const textOf = (url: string): string => Buffer.from(base64Of(url), 'base64').toString()

test.each([
  ['data:text/plain;base64,aGk=', 'hi'],
  ['data:text/plain;charset=utf-8;BASE64,aGk', 'hi'],
  ['data:;base64,aGk%3D', 'hi'],
  ['data:,a%20b', 'a b'],
  ['DATA:text/plain,100%', '100%'],
  ['data:text/plain,%E2%82%AC and €', '€ and €'],
  ['data:text/plain,one,two\nthree', 'one,two\nthree'],
  ['data:text/plain,', ''],
  ['data:text/plain;base64,', ''],
  ['https://example.com/', ''],
])('%s holds %j', (url, text) => {
  expect(textOf(url)).toBe(text)
})

test('whatever the bytes, both encodings give them back', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const base64 = Buffer.from(bytes).toString('base64')
      const escaped = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
      expect(base64Of(`data:a/b;base64,${base64}`)).toBe(base64)
      expect(base64Of(`data:a/b,${escaped}`)).toBe(base64)
    }),
  )
})
