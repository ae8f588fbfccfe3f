/** Ids of records: TypeIDs, a prefix and 26 characters of a time-ordered UUIDv7 (contract §4). */
import { typeidUnboxed } from 'typeid-js'

export type IdPrefix = 'act' | 'ntb' | 'req'

/** A new id such as `act_01h455vb4pex5vsknk084sn02q`; later ids of one process sort after earlier ones. */
export function newId(prefix: IdPrefix): string {
  return typeidUnboxed(prefix)
}

/** Whether `value` is spelt like an id with this prefix. The first of the 26 base32 characters carries three bits. */
export function isId(prefix: IdPrefix, value: string): boolean {
  return (
    value.startsWith(`${prefix}_`) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(value.slice(prefix.length + 1))
  )
}

/** A stored id for a terminal: what is none is shown as JSON, so that nothing in it reaches the terminal as it is. */
export function printableId(id: string): string {
  return isId('act', id) || isId('ntb', id) ? id : JSON.stringify(id)
}
