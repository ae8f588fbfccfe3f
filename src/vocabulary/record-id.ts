/** What the id of a record says about it. Pure. */

export function isNotableId(id: string): boolean {
  return id.startsWith('ntb_')
}
