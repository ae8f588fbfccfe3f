/** Cookies that no script and no other site can read or send. */
import type { Request, Response } from 'express'

export interface Cookies {
  read(req: Request, name: string): string | undefined
  /** `value` consists of characters that a cookie can hold unquoted. */
  write(res: Response, name: string, value: string, ttl_s: number): void
  clear(res: Response, name: string): void
}

export function cookies(public_url: string): Cookies {
  const isSecure = public_url.startsWith('https:')
  // The prefix binds a cookie to this host; browsers accept it over TLS only.
  const nameOf = (name: string) => (isSecure ? `__Host-${name}` : name)
  const options = { httpOnly: true, secure: isSecure, sameSite: 'lax', path: '/' } as const
  return {
    read(req, name) {
      const pairs = (req.headers.cookie ?? '').split(/; */).map((pair) => pair.split('=', 2))
      return pairs.findLast(([found]) => found === nameOf(name))?.[1]
    },
    write: (res, name, value, ttl_s) => {
      res.cookie(nameOf(name), value, { ...options, maxAge: ttl_s * 1000 })
    },
    clear: (res, name) => {
      res.clearCookie(nameOf(name), options)
    },
  }
}
