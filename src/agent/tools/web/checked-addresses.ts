import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { ToolError } from '../../../ports/tool-error.ts'

/** Which addresses a name has. Rejects when it has none. */
export type ResolveName = (name: string) => Promise<readonly string[]>

export interface AddressRules {
  readonly resolve: ResolveName
  /** Whether an address may be connected to. */
  readonly allow: (address: string) => boolean
}

export const systemResolve: ResolveName = async (name) => {
  const found = await lookup(name, { all: true })
  return found.map(({ address }) => address)
}

/**
 * The addresses of a URL's host that may be connected to, at least one. The answer is for use as it is: asked again, a name
 * may have other addresses. A name without allowed addresses is refused like one without any, so that nobody learns which
 * names there are in a private network.
 */
export async function checkedAddresses(
  hostname: string,
  { resolve, allow }: AddressRules,
): Promise<readonly string[]> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const addresses = isIP(host) > 0 ? [host] : await resolve(host).catch(() => [])
  const allowed = addresses.filter((address) => isIP(address) > 0 && allow(address))
  if (allowed.length === 0) throw new ToolError(`${JSON.stringify(host)} has no public address.`)
  return allowed
}
