/** Cookies that no script and no other site can read or send, and those that only instances of the service can read: their key is derived from the OAuth client secret. */

import { hkdfSync } from 'node:crypto'
import type { Request, Response } from 'express'
import { EncryptJWT, jwtDecrypt } from 'jose'
import type { z } from 'zod'
import type { OAuthClient } from '../../platform/config.ts'

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

export function encryptedCookies({ client_secret, public_url }: OAuthClient) {
  const key = new Uint8Array(hkdfSync('sha256', client_secret, '', 'deconflict cookies', 32))
  const jar = cookies(public_url)
  return {
    /** Undefined when the cookie is missing, expired, or was not written by this service. */
    async read<Schema extends z.ZodType>(req: Request, name: string, schema: Schema) {
      const encrypted = jar.read(req, name)
      if (encrypted === undefined) return undefined
      try {
        const { payload } = await jwtDecrypt(encrypted, key, { audience: name })
        return schema.safeParse(payload).data
      } catch {
        return undefined
      }
    },
    async write(res: Response, name: string, content: Record<string, unknown>, ttl_s: number): Promise<void> {
      const encrypted = await new EncryptJWT(content)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setAudience(name)
        .setExpirationTime(`${ttl_s} seconds`)
        .encrypt(key)
      jar.write(res, name, encrypted, ttl_s)
    },
    clear: jar.clear,
  }
}
