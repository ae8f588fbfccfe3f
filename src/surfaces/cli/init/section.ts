/** A section of a text file between markers: put in once, found again, taken out without a trace. */

export interface Section {
  begin: string
  end: string
  lines: string[]
}

/** After the text, or after its first line where that says who is to read the file (`#!`). */
export function withSection(text: string, section: Section): string {
  const block = `${[section.begin, ...section.lines, section.end].join('\n')}\n`
  // Where it is already, it stays.
  if (text.includes(block)) return text
  const bare = withoutSection(text, section)
  const shebang = /^#!.*\n/.exec(bare)?.[0]
  if (shebang) return `${shebang}${block}${bare.slice(shebang.length)}`
  if (bare === '') return block
  return `${bare}${bare.endsWith('\n') ? '' : '\n'}\n${block}`
}

/** The blank line before a section at the end goes with it. */
export function withoutSection(text: string, { begin, end }: Section): string {
  const from = text.indexOf(begin)
  const to = text.indexOf(end, from)
  if (from === -1 || to === -1) return text
  const rest = text.slice(to + end.length).replace(/^\n/, '')
  const before = text.slice(0, from)
  return rest === '' ? before.replace(/\n\n$/, '\n') : `${before}${rest}`
}
