import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPublicAddress } from './is-public-address.ts'

test.each([
  '1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0',
  '169.253.255.255', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0',
  '223.255.255.255', '2606:4700:4700::1111', '2a00:1450:4001:81b::200e', '2001:4860:4860::8888', '2001:200::1',
])('T50: %s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

test.each([
  // this machine, and nobody
  '0.0.0.0', '0.1.2.3', '127.0.0.1', '127.255.255.255', '::', '::1',
  // its networks
  '10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '169.254.0.1', '100.64.0.1', '100.127.255.255',
  'fc00::1', 'fd12:3456::1', 'fe80::1', 'febf::1', 'fec0::1',
  // its cloud
  '169.254.169.254', '100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254',
  // many, or reserved
  '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', 'ff02::1', '4000::1', 'e000::1', '100::1', '5f00::1',
  // examples and benchmarks
  '192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '198.19.255.255', '2001:db8::1', '3fff::1', '2001:2::1',
  // IPv4 within IPv6: mapped, compatible, NAT64, 6to4, Teredo, ISATAP-like
  '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::127.0.0.1', '64:ff9b::10.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::1',
  '2002:7f00:1::', '2002:a00:1::1', '2001:0:1::1',
  // no address in the usual notation
  '', 'localhost', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '8.8.8.8.', '08.8.8.8', ' 8.8.8.8', '8.8.8.8 ', '[2606:4700::1]',
  '2606:4700::1%eth0', 'fe80::1%1', '8.8.8.8:80', '8.8.8.8/8', '８.8.8.8',
])('T50: %j is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test('T50: an IPv4 address within an IPv6 one is never public, whatever it is', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      for (const prefix of ['::ffff:', '::', '64:ff9b::', '::ffff:0:']) expect(isPublicAddress(prefix + address)).toBe(false)
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
      expect(isPublicAddress(`2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::1`)).toBe(false)
    }),
  )
})
