/** A section of a text file between two markers: added once, replaced, and removed without a trace. Pure. */

export interface Section {
  begin: string
  end: string
  lines: string[]
}

/** Adds the section at the end of the text, or below its shebang, with the line ends of the text. Replaces an earlier version of it. */
export function withSection(text: string, section: Section): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const block = [section.begin, ...section.lines, section.end, ''].join(eol)
  // A section that is up to date stays where it is.
  if (text.includes(block)) return text
  const rest = withoutSection(text, section)
  const shebang = /^#!.*\n/.exec(rest)?.[0]
  if (shebang) return `${shebang}${block}${rest.slice(shebang.length)}`
  if (rest === '') return block
  return `${rest}${rest.endsWith('\n') ? '' : eol}${eol}${block}`
}

/** Removes the section, and the blank line before it if it is at the end. */
export function withoutSection(text: string, { begin, end }: Section): string {
  const from = text.indexOf(begin)
  const to = text.indexOf(end, from)
  if (from === -1 || to === -1) return text
  const after = text.slice(to + end.length).replace(/^\r?\n/, '')
  const before = text.slice(0, from)
  return after === '' ? before.replace(/(\r?\n)\r?\n$/, '$1') : `${before}${after}`
}
