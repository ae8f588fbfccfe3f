/** Groups client addresses for rate limits: a client with one IPv6 address usually controls the whole /64. */
import { isIPv4, isIPv6 } from 'node:net'

/** An IPv4 address unchanged, an IPv6 address as its /64, anything else as `unknown`. */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return 'unknown'
  const groups = groupsOf(address)
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight groups of an IPv6 address in any notation. */
function groupsOf(address: string): number[] {
  const [withoutZone = ''] = address.split('%')
  // URL writes a dotted IPv4 tail as two groups.
  const [head = '', tail] = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1).split('::')
  const numbersIn = (text = '') =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const before = numbersIn(head)
  const after = numbersIn(tail)
  return [...before, ...Array(8 - before.length - after.length).fill(0), ...after]
}
