/** Tables, lists and figures in Markdown. Pure. */

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

export function list(title: string, items: readonly string[]): string {
  return items.length === 0
    ? `${title}: none`
    : [`${title}:`, '', ...items.map((item) => `- ${item}`)].join('\n')
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(0)} %`
}

/** In percent, with one decimal. */
export function figure(part: number, whole: number): string {
  return whole === 0 ? '–' : ((100 * part) / whole).toFixed(1)
}

/** Precision and recall in percent, and the numbers of cases found, called wrongly, and missed. */
export function scoreOf<Case>(
  known: readonly Case[],
  isCalled: (each: Case) => boolean,
  isConflict: (each: Case) => boolean,
): [scores: string, counts: string] {
  const called = known.filter(isCalled)
  const found = called.filter(isConflict).length
  const conflicts = known.filter(isConflict).length
  return [
    `${figure(found, called.length)} / ${figure(found, conflicts)}`,
    `${found}, ${called.length - found}, ${conflicts - found}`,
  ]
}

export function share(part: number, whole: number): string {
  return `${part} of ${whole} (${figure(part, whole)} %)`
}

export function day(seconds: number): string {
  return new Date(1000 * seconds).toISOString().slice(0, 10)
}

/** What a period is about. */
export function opened({ since, until }: { since: number; until: number }): string {
  return `Opened from ${day(since)} to ${day(until)}`
}
