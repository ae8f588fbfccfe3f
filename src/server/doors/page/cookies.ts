/** Cookies that no script and no other site can read or send. */
import type { Request, Response } from 'express'

export type Cookies = ReturnType<typeof cookies>

export function cookies(public_url: string) {
  const isSecure = public_url.startsWith('https:')
  // The prefix binds a cookie to this host; browsers accept it over TLS only.
  const nameOf = (name: string) => (isSecure ? `__Host-${name}` : name)
  const options = { httpOnly: true, secure: isSecure, sameSite: 'lax', path: '/' } as const
  return {
    read: (req: Request, name: string): string | undefined => {
      const pairs = (req.headers.cookie ?? '').split(/; */).map((pair) => pair.split('=', 2))
      return pairs.findLast(([found]) => found === nameOf(name))?.[1]
    },
    /** `value` consists of characters that a cookie can hold unquoted. */
    write: (res: Response, name: string, value: string, ttl_s: number): void => {
      res.cookie(nameOf(name), value, { ...options, maxAge: ttl_s * 1000 })
    },
    clear: (res: Response, name: string): void => {
      res.clearCookie(nameOf(name), options)
    },
  }
}
