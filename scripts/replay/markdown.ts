/** Tables and figures in Markdown. Pure. */

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(0)} %`
}

/** In percent, with one decimal. */
export function figure(part: number, whole: number): string {
  return whole === 0 ? '–' : ((100 * part) / whole).toFixed(1)
}

export function ratio(part: number, whole: number): string {
  return whole === 0 ? '–' : (part / whole).toFixed(1)
}
