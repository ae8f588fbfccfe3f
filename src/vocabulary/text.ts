/** Counts, lists and capitals in text. Pure. */

/** The start of the reason of a check that had nothing to compare. */
export const NOTHING_COMPARED = 'No activity was compared'
/** A sentence of the reason of a check that reached its limit. */
export const BUDGET_EXHAUSTED =
  'The check exhausted its work budget before it had compared everything; narrow the scope for a complete result.'

/** Quotes or escapes a text from users for the place where it is shown. */
export type Quote = (text: string) => string

/** `1 notable`, `2 notables`. */
export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}

/** `a`, `a and b`, `a, b and c`. */
export function joined(items: readonly string[]): string {
  const [last = '', ...others] = items.toReversed()
  return others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`
}

export function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

export function uncapitalized(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`
}

/** `2026-01-31 09:30 UTC`, for an ISO timestamp. */
export function minuteText(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`
}
