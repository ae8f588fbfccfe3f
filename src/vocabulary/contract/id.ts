/** Ids of records and requests: TypeIDs, which are a prefix and 26 characters of a time-ordered UUIDv7. */
import { typeidUnboxed } from 'typeid-js'

export type IdPrefix = 'act' | 'ntb' | 'req'

/** A new id such as `act_01h455vb4pex5vsknk084sn02q`; ids that one process creates later sort after earlier ones. */
export function newId(prefix: IdPrefix): string {
  return typeidUnboxed(prefix)
}

/** Whether `value` has the format of an id with this prefix. The first base32 character is at most 7: a UUID has 128 bits, not 130. */
export function isId(prefix: IdPrefix, value: string): boolean {
  return (
    value.startsWith(`${prefix}_`) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(value.slice(prefix.length + 1))
  )
}
