/** Finds the imports in one side of a hunk. Pure. */
import { isKeyword, type Language } from './code-text.ts'

export interface Import {
  /** The name that the file uses; null for a re-export. */
  bound: string | null
  /** The name in the module that it is imported from; null if it is the module itself. */
  imported: string | null
  /** As it is written: `a.b`, `./pay.js`, `crate::pay`. */
  module: string
  /** The index of the line that names it. */
  line: number
}

/** `code`: the lines of one side without strings and comments, `raw`: with them. */
export function importsIn(raw: readonly string[], code: readonly string[], language: Language): Import[] {
  switch (language) {
    case 'python':
      return pythonImports(code)
    case 'typescript':
      return typescriptImports(raw, code)
    case 'rust':
      return rustImports(code)
  }
}

/** Only those at the first column: others may lie in a docstring, a function or under `TYPE_CHECKING`. */
function pythonImports(code: readonly string[]): Import[] {
  const found: Import[] = []
  for (let at = 0; at < code.length; at++) {
    const line = code[at] as string
    const [, modules] = /^import\s+(.+)/.exec(line) ?? []
    for (const [, module = '', alias] of (modules ?? '').matchAll(/([\w.]+)(?:\s+as\s+(\w+))?/g))
      found.push({ bound: alias ?? (module.split('.')[0] as string), imported: null, module, line: at })
    const [, module, names] = /^from\s+([.\w]+)\s+import\b(.*)/.exec(line) ?? []
    if (module === undefined) continue
    const isBracketed = (names as string).trimStart().startsWith('(')
    let rest = names as string
    for (; ; at++, rest = code[at] as string) {
      const [listed] = rest.replace('(', '').split(')') as [string]
      for (const [, imported = '', alias] of listed.matchAll(/(\w+)(?:\s+as\s+(\w+))?/g))
        found.push({ bound: alias ?? imported, imported, module, line: at })
      const goesOn = isBracketed ? !rest.includes(')') : /\\\s*$/.test(rest)
      if (!goesOn || at + 1 >= code.length) break
    }
  }
  return found
}

/** A statement with more lines is not read to its end, nor are deeper lists. */
const LINES_MAX = 100
const DEPTH_MAX = 20

const FROM = /\bfrom\s*["']([^"']+)["']/
/** A line of a list of names. */
const LISTED = /^\s+(?:type\s+)?[\w$]+(?:\s+as\s+[\w$]+)?,?\s*$/

function typescriptImports(raw: readonly string[], code: readonly string[]): Import[] {
  const found: Import[] = []
  const isFirst = (at: number) => /^(?:import\b(?!\s*\()|export\b.*(?:\{|\*))/.test(code[at] ?? '')
  for (let at = 0; at < raw.length; at++) {
    if (isFirst(at)) {
      const end = endOfImport(raw, at)
      const [, module] = FROM.exec(raw[end] as string) ?? []
      if (module !== undefined) found.push(...namesBetween(code, { from: at, end, module }))
      if (module !== undefined) at = end
    } else if (/^\}\s*from\b/.test(code[at] as string)) {
      // The first lines of the statement are not part of the hunk.
      let from = at
      while (from > 0 && LISTED.test(code[from - 1] as string)) from -= 1
      const [, module] = FROM.exec(raw[at] as string) ?? []
      if (from === 0 && module !== undefined) found.push(...namesBetween(code, { from, end: at, module }))
    } else {
      const required =
        /^(?:const|let|var)\s+(?:([\w$]+)|\{([^}]*)\})\s*=\s*require\(\s*["']([^"']+)["']/.exec(
          raw[at] as string,
        )
      const [, whole, names, module] = required ?? []
      if (module === undefined) continue
      if (whole !== undefined) found.push({ bound: whole, imported: null, module, line: at })
      for (const [, imported = '', alias] of (names ?? '').matchAll(/([\w$]+)(?:\s*:\s*([\w$]+))?/g))
        found.push({ bound: alias ?? imported, imported, module, line: at })
    }
  }
  return found
}

function endOfImport(raw: readonly string[], start: number): number {
  for (let at = start; at < Math.min(raw.length, start + LINES_MAX); at++) {
    const line = raw[at] as string
    if (FROM.test(line) || /;\s*$/.test(line)) return at
  }
  return start
}

function namesBetween(
  code: readonly string[],
  { from, end, module }: { from: number; end: number; module: string },
): Import[] {
  const found: Import[] = []
  const isExport = /^export\b/.test(code[from] as string)
  let isListed = !(code[from] as string).startsWith('import') && !isExport
  for (let line = from; line <= end; line++) {
    const tokens = (code[line] as string).matchAll(
      /[{}]|(\*)\s*as\s+([\w$]+)|(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?/g,
    )
    for (const [token, star, whole, name, alias] of tokens) {
      if (token === '{') isListed = true
      else if (token === '}') isListed = false
      else if (star !== undefined) found.push({ bound: whole ?? null, imported: null, module, line })
      else if (isListed && name !== undefined)
        found.push({ bound: isExport ? null : (alias ?? name), imported: name, module, line })
      else if (name !== undefined && !isKeyword(name, 'typescript'))
        found.push({ bound: name, imported: null, module, line })
    }
  }
  return found
}

function rustImports(code: readonly string[]): Import[] {
  const found: Import[] = []
  for (let at = 0; at < code.length; at++) {
    const [, first] = /^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+(.*)/.exec(code[at] as string) ?? []
    if (first === undefined) continue
    const start = at
    const last = Math.min(code.length, start + LINES_MAX) - 1
    while (!(code[at] as string).includes(';') && at < last) at++
    const lines = [first, ...code.slice(start + 1, at + 1)]
    const tokens = lines.flatMap((text, index) =>
      [...text.matchAll(/\w+|::|[{},;*]/g)].map(([token]) => ({ token, line: start + index })),
    )
    found.push(...leavesOf(tokens))
  }
  return found
}

/** The names at the ends of `a::{b, c::{self, d as e}}`. */
function leavesOf(tokens: readonly { token: string; line: number }[]): Import[] {
  const found: Import[] = []
  const outer: string[][] = []
  let path: string[] = []
  let alias: string | undefined
  const end = (line: number) => {
    const name = path.at(-1)
    const prefix = outer.at(-1)?.length ?? 0
    if (name !== undefined && name !== '*' && path.length > prefix) {
      const isSelf = name === 'self' && path.length > 1
      const module = path.slice(0, isSelf ? -2 : -1)
      const imported = isSelf ? (path.at(-2) as string) : name
      if (alias !== '_') found.push({ bound: alias ?? imported, imported, module: module.join('::'), line })
    }
    path = [...(outer.at(-1) ?? [])]
    alias = undefined
  }
  for (const [index, { token, line }] of tokens.entries()) {
    if (token === '{' && outer.length === DEPTH_MAX) return found
    if (token === '{') outer.push([...path])
    else if (token === '}') {
      end(tokens[index - 1]?.line ?? line)
      outer.pop()
      path = [...(outer.at(-1) ?? [])]
    } else if (token === ',' || token === ';') end(line)
    else if (tokens[index - 1]?.token === 'as') alias = token
    else if (token !== '::' && token !== 'as') path.push(token)
  }
  return found
}
