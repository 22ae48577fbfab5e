import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ToolError } from '../../../ports/tool-error.ts'
import { workspacePath } from './workspace-path.ts'

test.each<readonly [string, readonly string[]]>([
  ['', []],
  ['.', []],
  ['a', ['a']],
  ['./a//b/', ['a', 'b']],
  ['.hidden/..x/x..', ['.hidden', '..x', 'x..']],
  ['ａ/．．／b', ['ａ', '．．／b']],
  ['ab:c', ['ab:c']],
])('T40: %j names children alone', (path, names) => {
  expect(workspacePath(path)).toEqual(names)
})

test.each([
  '/', '/etc/passwd', '//host/share', '..', 'a/..', 'a/../b', '../../etc', '...', 'a/.. /b', 'a/ ./b', '\\', 'a\\..\\b',
  'C:', 'c:/x', 'a/C:x', 'a\0b', 'a\nb', '\u0085', '\uD800', 'x'.repeat(256), `${'x/'.repeat(40)}x`, 'é'.repeat(600),
])('T40: %j is refused', (path) => {
  expect(() => workspacePath(path)).toThrow(ToolError)
})

test('T40: whatever the path, its names are plain or it is refused', () => {
  const piece = fc.constantFrom('..', '.', '/', '\\', 'a', ' ', '\0', 'C:', '‥', '．', '∕', '%2e%2e', '~', '\uD800', '..\u200b')
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const outcome = () => {
        try {
          return workspacePath(pieces.join('')).every((name) => !/^\.*$|[\\/\0]|^[a-z]:/i.test(name))
        } catch (error) {
          return error instanceof ToolError
        }
      }
      expect(outcome()).toBe(true)
    }),
  )
})
