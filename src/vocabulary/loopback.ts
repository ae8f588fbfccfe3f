/** Addresses of this machine. Pure, and without imports, so that clients can use it. */

/** `hostname` as `URL` normalizes it: IPv4 with four numbers, IPv6 in brackets. */
export function isLoopback(hostname: string): boolean {
  return /^127(?:\.\d+){3}$/.test(hostname) || hostname === '[::1]' || hostname === 'localhost'
}
