/** Ids of records and requests: TypeIDs, which are a prefix and 26 characters of a time-ordered UUIDv7. */
import { fromUUID } from 'typeid-js'

export type IdPrefix = 'act' | 'ntb' | 'req'

let last = 0n

/** A new id of a record such as `act_01h455vb4pex5vsknk084sn02q`; ids that one process creates later sort after earlier ones. */
export function newId(prefix: IdPrefix, now: Date): string {
  const at = BigInt(now.getTime()) << 12n
  last = at > last ? at : last + 1n
  const time = last.toString(16).padStart(15, '0')
  return idOfBytes(
    prefix,
    `${time.slice(0, 12)}7${time.slice(12)}${crypto.randomUUID().slice(19).replace('-', '')}`,
  )
}

/** `hex`: 16 bytes, of which the first six are the time in milliseconds. */
export function idOfBytes(prefix: IdPrefix, hex: string): string {
  return fromUUID(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'), prefix)
}

/** Whether `value` has the format of an id with this prefix. The first base32 character is at most 7: a UUID has 128 bits, not 130. */
export function isId(prefix: IdPrefix, value: string): boolean {
  return new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(value)
}
