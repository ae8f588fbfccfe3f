/** Text that PostgreSQL and JSON accept. */

/** The text without NUL, and with a replacement character for each unpaired surrogate. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed()
}
