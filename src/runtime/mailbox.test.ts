import { expect, test } from 'vitest'
import { Mailbox } from './mailbox.ts'

test('jobs run one after another, in the order of their arrival', async () => {
  const mailbox = new Mailbox()
  const happened: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = mailbox.run(async () => {
    happened.push('first begins')
    await gate.promise
    happened.push('first ends')
  })
  const second = mailbox.run(async () => {
    happened.push('second')
  })
  expect(mailbox.isIdle).toBe(false)
  gate.resolve()
  await Promise.all([first, second])
  expect(happened).toEqual(['first begins', 'first ends', 'second'])
  expect(mailbox.isIdle).toBe(true)
})

test('a job that fails, even at once, does not stop those behind it', async () => {
  const mailbox = new Mailbox()
  const failing = mailbox.run(() => Promise.reject(new Error('no')))
  const throwing = mailbox.run(() => {
    throw new Error('at once')
  })
  const last = mailbox.run(async () => 'done')
  await expect(failing).rejects.toThrow('no')
  await expect(throwing).rejects.toThrow('at once')
  await expect(last).resolves.toBe('done')
  expect(mailbox.isIdle).toBe(true)
})
