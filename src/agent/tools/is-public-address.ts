import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Nobody's network, or somebody's own: IANA's special-purpose registries, and what clouds put beside them. */
const privateIPv4 = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carriers' NAT, and the metadata of one cloud
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // the metadata of another
  ['169.254.0.0', 16], // link-local, and the metadata of most
  ['172.16.0.0', 12],
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16],
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
] as const

/** Of IPv6 only this part is for the world, */
const globalIPv6 = ['2000::', 3] as const

/** without these. What carries an IPv4 address leads to wherever that one does. */
const privateIPv6 = [
  ['2001::', 23], // protocol assignments, Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
] as const

const blocked = new BlockList()
for (const [network, prefix] of privateIPv4) blocked.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of privateIPv6) blocked.addSubnet(network, prefix, 'ipv6')

const global = new BlockList()
global.addSubnet(...globalIPv6, 'ipv6')

/**
 * Whether a numeric IP address belongs to the public internet: not to this machine, its networks or its cloud, to nobody, or
 * to several. False for anything that is no address in the usual notation, and for one with a zone.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !blocked.check(address, 'ipv4')
  return isIPv6(address) && !address.includes('%') && global.check(address, 'ipv6') && !blocked.check(address, 'ipv6')
}
