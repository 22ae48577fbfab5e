import { execFileSync } from 'node:child_process'
import {
  chmod, link, lstat, mkdir, open, readdir, readFile, rename, rm, stat, symlink, truncate, writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDescriptorRoot } from '../../../src/agent/tools/workspace/descriptor-folder.ts'
import type { OpenFolder, OpenRoot } from '../../../src/agent/tools/workspace/open-folder.ts'
import { openPathRoot } from '../../../src/agent/tools/workspace/path-folder.ts'
import { workspaceTools } from '../../../src/agent/tools/workspace-tools.ts'
import { ToolError } from '../../../src/ports/tool-error.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { systemIds } from '../../../src/runtime/system-ids.ts'
import { called } from './called.ts'
import { scratchFolder } from './scratch-folder.ts'

type Name = keyof ReturnType<typeof workspaceTools>

const SECRET = 'nobody must see this'

/** A workspace `inside` a folder, with a secret beside it. */
async function stage(openRoot: OpenRoot) {
  const outside = await scratchFolder()
  const root = join(outside, 'inside')
  await mkdir(join(outside, 'private'))
  await writeFile(join(outside, 'private', 'secret.txt'), SECRET)
  await mkdir(join(root, 'notes', 'old'), { recursive: true })
  await writeFile(join(root, 'notes', 'today.md'), 'one\ntwo\nthree')
  await writeFile(join(root, '.hidden'), 'Two')
  const tools = workspaceTools({ root, clock: systemClock, ids: systemIds, openRoot })
  const call = (name: Name, input: object) => called(tools[name], input)
  return { outside, root, call }
}

const everyPath = (path: string) =>
  [
    ['list_files', { path }],
    ['list_files', { path, recursive: true }],
    ['read_file', { path }],
    ['read_file', { path: `${path}/secret.txt` }],
    ['search_files', { path, text: 'nobody' }],
    ['write_file', { path, content: 'x' }],
    ['write_file', { path: `${path}/secret.txt`, content: 'x' }],
    ['write_file', { path: `${path}/new/file.txt`, content: 'x' }],
  ] as const

describe.each<readonly [string, OpenRoot]>([
  ['held by descriptors', openDescriptorRoot],
  ['known by their paths', openPathRoot],
])('folders %s', (_, openRoot) => {
  const untouched = async (outside: string) => {
    expect((await readdir(outside)).toSorted()).toEqual(['inside', 'private'])
    expect(await readdir(join(outside, 'private'))).toEqual(['secret.txt'])
    expect(await readFile(join(outside, 'private', 'secret.txt'), 'utf8')).toBe(SECRET)
  }

  test('T41: files are listed, read, found and written', async () => {
    const { root, call } = await stage(openRoot)
    expect(await call('list_files', {})).toEqual({
      entries: [{ path: '.hidden', type: 'file', bytes: 3 }, { path: 'notes', type: 'folder' }],
      isCut: false,
    })
    expect(await call('list_files', { path: 'notes' })).toMatchObject({
      entries: [{ path: 'notes/old', type: 'folder' }, { path: 'notes/today.md', type: 'file', bytes: 13 }],
    })
    expect(await call('list_files', { recursive: true })).toMatchObject({
      entries: [{ path: '.hidden' }, { path: 'notes' }, { path: 'notes/old' }, { path: 'notes/today.md' }],
    })
    expect(await call('read_file', { path: './notes//today.md' })).toEqual({
      path: './notes//today.md', firstLine: 1, lastLine: 3, nextLine: null, content: 'one\ntwo\nthree',
    })
    expect(await call('search_files', { text: 'TWO' })).toEqual({
      matches: [{ path: '.hidden', line: 1, text: 'Two' }, { path: 'notes/today.md', line: 2, text: 'two' }],
      filesSearched: 2,
      stoppedBy: null,
    })
    expect(await call('search_files', { text: 'two', matchCase: true, path: 'notes' })).toMatchObject({
      matches: [{ path: 'notes/today.md' }],
    })
    expect(await call('write_file', { path: 'new/deep/ü.txt', content: 'é' })).toEqual({ path: 'new/deep/ü.txt', bytes: 2, replaced: false })
    expect(await call('write_file', { path: 'notes/today.md', content: '' })).toMatchObject({ replaced: true })
    expect(await readFile(join(root, 'new', 'deep', 'ü.txt'), 'utf8')).toBe('é')
    expect(await readFile(join(root, 'notes', 'today.md'), 'utf8')).toBe('')
    expect(await readdir(join(root, 'notes'))).toEqual(['old', 'today.md'])
  })

  test('T41: a workspace that does not exist is empty, and comes into being with its first file', async () => {
    const root = join(await scratchFolder(), 'a', 'b')
    const tools = workspaceTools({ root, clock: systemClock, ids: systemIds, openRoot })
    expect(await called(tools.list_files, {})).toEqual({ entries: [], isCut: false })
    expect(await called(tools.search_files, { text: 'x' })).toEqual({ matches: [], filesSearched: 0, stoppedBy: null })
    await expect(called(tools.read_file, { path: 'x' })).rejects.toThrow(new ToolError('"x" does not exist.'))
    await called(tools.write_file, { path: 'x', content: 'y' })
    expect(await called(tools.list_files, {})).toMatchObject({ entries: [{ path: 'x' }] })
  })

  test('T41: the workspace itself may be behind a link', async () => {
    const { outside, root } = await stage(openRoot)
    await symlink(root, join(outside, 'link'))
    const tools = workspaceTools({ root: join(outside, 'link'), clock: systemClock, ids: systemIds, openRoot })
    expect(await called(tools.read_file, { path: 'notes/today.md' })).toMatchObject({ lastLine: 3 })
  })

  test('T40: no path and no link leads outside, for any tool', async () => {
    const { outside, root, call } = await stage(openRoot)
    await symlink('../private', join(root, 'relative'))
    await symlink(join(outside, 'private'), join(root, 'absolute'))
    await symlink('../../../private', join(root, 'notes', 'old', 'deep'))
    await symlink('relative', join(root, 'twice'))
    await symlink('../private/secret.txt', join(root, 'file'))
    await symlink('../private/new.txt', join(root, 'dangling'))
    const ways = [
      '../private', 'notes/../../private', join(outside, 'private'), '..\\private', 'relative', 'absolute', 'notes/old/deep',
      'twice', 'file', 'dangling', 'relative/../relative', '/proc/self/cwd', 'notes/old/deep/..',
    ]
    for (const [name, input] of ways.flatMap(everyPath)) {
      await expect(call(name, input), `${name} ${JSON.stringify(input)}`).rejects.toThrow(ToolError)
    }
    await untouched(outside)
    expect(JSON.stringify(await call('search_files', { text: 'nobody' }))).not.toContain(SECRET)
    expect(await call('list_files', { recursive: true })).toMatchObject({
      entries: expect.arrayContaining([{ path: 'relative', type: 'link' }, { path: 'notes/old/deep', type: 'link' }]) as unknown,
      isCut: false,
    })
  })

  test('T42: what is thrown shows nothing of the way to the workspace', async () => {
    const { outside, root, call } = await stage(openRoot)
    await symlink('x', join(root, 'x'))
    const paths = ['missing', 'notes', 'notes/today.md/x', 'x', 'x/y', '..', join(outside, 'inside'), 'n'.repeat(300)]
    for (const [name, input] of paths.flatMap(everyPath)) {
      const thrown = await call(name, input).then(() => undefined, (error: unknown) => error)
      if (thrown === undefined) continue
      expect(thrown).toBeInstanceOf(ToolError)
      expect((thrown as ToolError).message.replaceAll(JSON.stringify(input.path).slice(1, -1), '')).not.toContain(outside)
    }
  })

  test('T43: what is no ordinary file is neither read nor replaced, and nothing waits for it', async () => {
    const { root, call } = await stage(openRoot)
    execFileSync('mkfifo', [join(root, 'fifo')])
    await link(join(root, 'notes', 'today.md'), join(root, 'linked'))
    for (const path of ['fifo', 'notes', '', '.']) {
      await expect(call('read_file', { path })).rejects.toThrow(ToolError)
      await expect(call('write_file', { path, content: 'x' })).rejects.toThrow(ToolError)
    }
    expect((await lstat(join(root, 'fifo'))).isFIFO()).toBe(true)
    expect(await call('search_files', { text: 'three' })).toMatchObject({ filesSearched: 3, stoppedBy: null })
    expect(await call('list_files', {})).toMatchObject({ entries: expect.arrayContaining([{ path: 'fifo', type: 'other' }]) as unknown })
  })

  test('T44: a write that fails leaves the old file, and nothing beside it', async () => {
    const { root, call } = await stage(openRoot)
    await chmod(join(root, 'notes', 'today.md'), 0o444)
    await expect(call('write_file', { path: 'notes/today.md', content: 'x' })).rejects.toThrow('is read-only')
    await expect(call('write_file', { path: 'big', content: 'é'.repeat(600_000) })).rejects.toThrow('longer than 1 MiB')
    await expect(call('write_file', { path: 'notes', content: 'x' })).rejects.toThrow('no ordinary file')
    expect(await readdir(join(root, 'notes'))).toEqual(['old', 'today.md'])
    expect(await readdir(root)).toEqual(['.hidden', 'notes'])
  })

  test('T44: who reads while others write sees one content or another, whole', async () => {
    const { root, call } = await stage(openRoot)
    const content = (letter: string) => letter.repeat(500_000)
    const write = (letter: string) => call('write_file', { path: 'shared', content: content(letter) })
    await write('a')
    let isWriting = true
    const writing = (async () => {
      for (const letter of 'bcdefghij') await Promise.all([write(letter), write(letter.toUpperCase())])
      isWriting = false
    })()
    const seen = new Set<string>()
    while (isWriting) seen.add(await readFile(join(root, 'shared'), 'utf8'))
    await writing
    for (const text of seen) expect(text === content(text.charAt(0))).toBe(true)
    expect((await readdir(root)).toSorted()).toEqual(['.hidden', 'notes', 'shared'])
  })

  test('T44: who has a file open keeps what he opened; the permissions of a file stay', async () => {
    const { root, call } = await stage(openRoot)
    const path = join(root, 'notes', 'today.md')
    await chmod(path, 0o750)
    const before = await open(path)
    await call('write_file', { path: 'notes/today.md', content: 'new' })
    expect(await before.readFile('utf8')).toBe('one\ntwo\nthree')
    await before.close()
    expect((await stat(path)).mode & 0o777).toBe(0o750)
  })
})

describe('T40: a link that takes the place of a folder while it is used leads nowhere', () => {
  /** Does something between the entering of a folder and its use. */
  const swapping = (openRoot: OpenRoot, swap: () => Promise<void>): OpenRoot => {
    const spied = (folder: OpenFolder): OpenFolder => ({
      ...folder,
      async enter(name) {
        const inner = await folder.enter(name)
        await swap()
        return spied(inner)
      },
    })
    return async (root) => spied(await openRoot(root))
  }

  const swapped = async (openRoot: OpenRoot) => {
    const { outside, root } = await stage(openRoot)
    await writeFile(join(outside, 'private', 'today.md'), SECRET)
    const swap = async () => {
      await rename(join(root, 'notes'), join(root, 'moved')).catch(() => undefined)
      await symlink('../private', join(root, 'notes')).catch(() => undefined)
    }
    const tools = workspaceTools({ root, clock: systemClock, ids: systemIds, openRoot: swapping(openRoot, swap) })
    return { outside, root, tools }
  }

  test('T40: held by descriptors, the folder that was entered is used, wherever it is now', async () => {
    const { outside, root, tools } = await swapped(openDescriptorRoot)
    expect(await called(tools.read_file, { path: 'notes/today.md' })).toMatchObject({ content: 'one\ntwo\nthree' })
    await rm(join(root, 'notes'))
    await rename(join(root, 'moved'), join(root, 'notes'))
    await called(tools.write_file, { path: 'notes/old/x', content: 'mine' })
    expect(await readFile(join(root, 'moved', 'old', 'x'), 'utf8')).toBe('mine')
    expect(await readdir(join(outside, 'private'))).toEqual(['secret.txt', 'today.md'])
  })

  test.each<readonly [Name, object]>([
    ['list_files', { path: 'notes' }],
    ['read_file', { path: 'notes/today.md' }],
    ['search_files', { path: 'notes', text: 'nobody' }],
    ['write_file', { path: 'notes/today.md', content: 'x' }],
    ['write_file', { path: 'notes/new', content: 'x' }],
  ])('T40: known by its path, it is refused: %s %j', async (name, input) => {
    const { outside, tools } = await swapped(openPathRoot)
    await expect(called(tools[name], input)).rejects.toThrow(ToolError)
    expect(await readdir(join(outside, 'private'))).toEqual(['secret.txt', 'today.md'])
    expect(await readFile(join(outside, 'private', 'today.md'), 'utf8')).toBe(SECRET)
  })
})

describe('T45: what is large is read in part', () => {
  test('T45: lines of a file, and where to go on', async () => {
    const { root, call } = await stage(openDescriptorRoot)
    const lines = Array.from({ length: 30_000 }, (_, at) => `line ${at + 1} "ü"\r\n`)
    await writeFile(join(root, 'long'), lines.join(''))
    const seen: string[] = []
    for (let offset: number | null = 1; offset !== null; ) {
      const part = (await call('read_file', { path: 'long', offset })) as { nextLine: number | null; content: string }
      expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThan(256 * 1024)
      seen.push(part.content)
      offset = part.nextLine
    }
    expect(seen.length).toBeGreaterThan(2)
    expect(seen.join('')).toBe(lines.join(''))
    expect(await call('read_file', { path: 'long', offset: 29_999, limit: 1 })).toEqual({
      path: 'long', firstLine: 29_999, lastLine: 29_999, nextLine: 30_000, content: lines[29_998],
    })
    await expect(call('read_file', { path: 'long', offset: 30_001 })).rejects.toThrow('ends before line 30001')
    await expect(call('read_file', { path: 'long', offset: 30_002 })).rejects.toThrow('ends before line 30002')
  })

  test('T45: a line that is too long', async () => {
    const { root, call } = await stage(openDescriptorRoot)
    await writeFile(join(root, 'wide'), `${'é'.repeat(1_000_000)}\nend`)
    const first = (await call('read_file', { path: 'wide' })) as { nextLine: number; content: string }
    expect(first.content).toMatch(/^é+… \[the rest of this line is cut\]$/)
    expect(first.nextLine).toBe(2)
    expect(await call('read_file', { path: 'wide', offset: 2 })).toMatchObject({ content: 'end', nextLine: null })
  })

  test('T45: a file of a terabyte', async () => {
    const { root, call } = await stage(openDescriptorRoot)
    await writeFile(join(root, 'huge'), 'begin\n')
    await truncate(join(root, 'huge'), 1e12)
    await expect(call('read_file', { path: 'huge' })).rejects.toThrow('is no text file')
    await expect(call('read_file', { path: 'huge', offset: 3 })).rejects.toThrow('too far from its beginning')
    expect(await call('search_files', { text: 'begin' })).toMatchObject({ matches: [] })
  })

  test('T45: an empty file, binary ones, and bytes that are no UTF-8', async () => {
    const { root, call } = await stage(openDescriptorRoot)
    await writeFile(join(root, 'empty'), '')
    await writeFile(join(root, 'binary'), Buffer.from([0x41, 0, 0x42]))
    await writeFile(join(root, 'latin'), Buffer.from([0xef, 0xbb, 0xbf, 0xe4, 0x0a]))
    expect(await call('read_file', { path: 'empty' })).toMatchObject({ content: '', firstLine: 1, lastLine: 0, nextLine: null })
    await expect(call('read_file', { path: 'binary' })).rejects.toThrow('"binary" is no text file.')
    expect(await call('read_file', { path: 'latin' })).toMatchObject({ content: '\uFEFF\uFFFD\n' })
  })

  test('T45: many files, many matches', async () => {
    const { root, call } = await stage(openDescriptorRoot)
    await mkdir(join(root, 'many'))
    for (let at = 0; at < 1_200; at++) await writeFile(join(root, 'many', `${at}`), `needle ${'x'.repeat(1_000)}\n`.repeat(2))
    const listed = (await call('list_files', { path: 'many' })) as { entries: unknown[]; isCut: boolean }
    expect([listed.entries.length, listed.isCut]).toEqual([1_000, true])
    expect(await call('list_files', { recursive: true })).toMatchObject({ isCut: true })
    const found = (await call('search_files', { text: 'needle' })) as { matches: { text: string }[]; stoppedBy: string }
    expect([found.matches.length, found.stoppedBy]).toEqual([200, 'matches'])
    expect(Math.max(...found.matches.map(({ text }) => text.length))).toBeLessThanOrEqual(280)
  })
})

test('T46: an abort, or ten seconds, end a search', async () => {
  const { root, call } = await stage(openDescriptorRoot)
  const tools = workspaceTools({ root, clock: systemClock, ids: systemIds })
  const reason = new Error('enough')
  for (const [name, input] of [['search_files', { text: 'x' }], ['list_files', { recursive: true }]] as const) {
    await expect(called(tools[name], input, AbortSignal.abort(reason))).rejects.toBe(reason)
  }
  await expect(called(tools.write_file, { path: 'x', content: '' }, AbortSignal.abort(reason))).rejects.toBe(reason)
  expect(await call('list_files', {})).not.toMatchObject({ entries: [{}, {}, {}] })
  let now = 0
  const clock = { ...systemClock, monotonic: () => (now += 6_000) }
  const slow = workspaceTools({ root, clock, ids: systemIds })
  expect(await called(slow.search_files, { text: 'two' })).toMatchObject({ stoppedBy: 'time' })
})

test('T46: no descriptor is left open, whatever happened', async () => {
  const descriptors = async () => (await readdir('/proc/self/fd')).length
  const { root, call } = await stage(openDescriptorRoot)
  await symlink('/etc', join(root, 'link'))
  const before = await descriptors()
  for (const [name, input] of ['notes', 'link', 'notes/today.md', 'a/b/c', 'missing'].flatMap(everyPath)) {
    await call(name, input).catch(() => undefined)
  }
  expect(await descriptors()).toBe(before)
})
