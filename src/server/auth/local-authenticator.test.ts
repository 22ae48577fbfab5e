import { expect, test } from 'vitest'
import { localAuthenticator } from './local-authenticator.ts'

const authenticate = (remoteAddress: string | undefined) =>
  localAuthenticator.authenticate({ token: undefined, remoteAddress })

test.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('V42: %s is this machine: local, ADMIN', async (address) => {
  expect(await authenticate(address)).toEqual({ id: 'local', role: 'ADMIN', scopes: ['*'] })
})

test.each([undefined, '', '10.0.0.1', '192.168.1.2', '::ffff:10.0.0.1', 'fe80::1', '::', '127.evil', '1127.0.0.1'])(
  'V42: %s is nobody',
  async (address) => {
    expect(await authenticate(address)).toBeUndefined()
  },
)
