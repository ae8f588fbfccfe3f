/** Connects to the internet only, for addresses that somebody with push access names: nothing of the operator's network answers. */
import { lookup } from 'node:dns'
import { BlockList, isIPv4, type LookupFunction } from 'node:net'
import type { Agent } from 'undici'

const PRIVATE = new BlockList()
for (const [net, prefix] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
  ] as const),
  ...([
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.168.0.0', 16],
  ] as const),
  ...([
    ['198.18.0.0', 15],
    ['224.0.0.0', 3],
  ] as const),
] as const)
  PRIVATE.addSubnet(net, prefix)
/** Of IPv6, only this is the internet, without its tunnels to IPv4. */
const GLOBAL = new BlockList()
GLOBAL.addSubnet('2000::', 3, 'ipv6')
const TUNNELS = new BlockList()
TUNNELS.addSubnet('2001::', 23, 'ipv6')
TUNNELS.addSubnet('2002::', 16, 'ipv6')

export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !PRIVATE.check(address)
  return GLOBAL.check(address, 'ipv6') && !TUNNELS.check(address, 'ipv6')
}

/** Fails unless all addresses of the name are public. The connection is made to what was looked up. */
export const publicLookup: LookupFunction = (hostname, options, callback) =>
  lookup(hostname, options, (error, found, family) => {
    const all = [found].flat().map((each) => (typeof each === 'string' ? each : each?.address))
    const isRefused = error === null && !all.every(isPublic)
    callback(isRefused ? new Error('the host of notify_url has a private address') : error, found, family)
  })

let only: Agent | undefined

/** For `fetch`. Loaded when it is first needed, because few repositories have an address, and its package is large. */
export async function publicOnly(): Promise<Agent> {
  const { Agent } = await import('undici')
  only ??= new Agent({ connect: { lookup: publicLookup } })
  return only
}
