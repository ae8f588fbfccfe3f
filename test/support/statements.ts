/** Checks that every part of an SQL statement is restricted to one repository, as a distributed database requires. */

/** A statement on one line without strings and comments. */
export function plainOf(statement: string): string {
  return statement
    .replace(/--[^\n]*/g, ' ')
    .replace(/'(?:[^']|'')*'/g, "''")
    .replaceAll('"', '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}

/**
 * The parts of a statement (the statement itself and each query inside it) that read or write one of `tables` without the
 * repository's id. Reads, updates and deletes must have it in every branch of their own condition, inserts in their columns.
 */
export function partsWithoutRepository(statement: string, tables: string[]): string[] {
  return partsOf(plainOf(statement)).filter((part) => touches(part, tables) && !saysRepository(part))
}

function touches(part: string, tables: string[]): boolean {
  const named = [...part.matchAll(/\b(?:from|join|into|update|only)\s+(?:\w+\.)?(\w+)/g)].map(
    ([, name]) => name,
  )
  return tables.some((table) => named.includes(table))
}

function saysRepository(part: string): boolean {
  const columns = /\binsert into (?:\w+\.)?\w+ \(([^)]*)\)/.exec(part)?.[1]
  if (columns !== undefined) {
    const target = /\bon conflict \(([^)]*)\)/.exec(part)?.[1] ?? 'repo_id'
    return /\brepo_id\b/.test(columns) && /\brepo_id\b/.test(target)
  }
  const condition = split(part, ' where ').at(1)
  return condition !== undefined && isBound(cut(condition))
}

/** Whether a condition holds only for rows of one repository. */
function isBound(condition: string): boolean {
  const inner = /^\((.*)\)$/.exec(condition)?.[1]
  if (inner !== undefined && split(condition, ' ').length === 1) return isBound(inner)
  const branches = split(condition, ' or ')
  if (branches.length > 1) return branches.every(isBound)
  const conditions = split(condition, ' and ')
  if (conditions.length > 1) return conditions.some(isBound)
  return /^(?:\w+\.)?repo_id = (?:\$\d+|(?:\w+\.)?repo_id)(?:::bigint)?$/.test(condition)
}

/** Removes the clauses that may follow a condition. */
function cut(condition: string): string {
  return [' order by ', ' limit ', ' for ', ' returning ', ' group by ', ' union '].reduce(
    (rest, word) => split(rest, word)[0] ?? '',
    condition,
  )
}

/** Splits at the word outside of all parentheses. */
function split(text: string, word: string): string[] {
  const pieces = ['']
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0 && text.startsWith(word, at)) {
      pieces.push('')
      at += word.length - 1
    } else pieces.push(`${pieces.pop()}${text[at]}`)
  }
  return pieces.map((piece) => piece.trim())
}

/** A statement and its subqueries; each subquery is replaced with `()`. */
function partsOf(plain: string): string[] {
  const parts: string[] = []
  const open = ['']
  for (const character of plain) {
    if (character === '(') open.push('')
    else if (character === ')' && open.length > 1) {
      const inner = open.pop() as string
      const isQuery = /^\s*(?:select|insert|update|delete|with)\b/.test(inner)
      if (isQuery) parts.push(inner.trim())
      open.push(`${open.pop()}${isQuery ? '()' : `(${inner})`}`)
    } else open.push(`${open.pop()}${character}`)
  }
  return [...parts, open.join('(').trim()]
}
