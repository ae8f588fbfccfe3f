/** Encrypted cookies, which only instances of the service can read: the key is derived from the OAuth client secret. */
import { hkdfSync } from 'node:crypto'
import type { Request, Response } from 'express'
import { EncryptJWT, jwtDecrypt } from 'jose'
import type { z } from 'zod'
import type { OAuthClient } from '../../platform/config.ts'
import { cookies } from './cookies.ts'

export type EncryptedCookies = ReturnType<typeof encryptedCookies>

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
