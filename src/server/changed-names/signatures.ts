/** Finds the parameters of functions, and which calls a change of them breaks. Pure. */
import type { Steps } from '../base/event-loop.ts'
import { argumentListAt } from './argument-list.ts'
import { isKeyword, type Language } from './code-text.ts'

export interface Signature {
  /** The name by which it is called: for a constructor, that of its class. */
  name: string
  is_top: boolean
  is_async: boolean
  parameters: Parameter[]
  /** The type of the result; empty if it is not given. */
  result: string
}

interface Parameter {
  name: string
  type: string
  /** Null for a parameter that a call must give. */
  value: string | null
  /** It takes any number of arguments. */
  is_rest: boolean
  /** A call names it. */
  is_keyword: boolean
}

/** What follows in a longer parameter does not count. */
const PARAMETER_MAX = 500
/** Calls with more arguments are not told apart. */
const ARGUMENTS_MAX = 8

const HEADS: Record<Language, readonly RegExp[]> = {
  python: [/^(\s*)(?:async\s+)?def\s+(\w+)\s*(?=\()/],
  rust: [
    /^(\s*)(?:pub(?:\([^)]*\))?\s+)?(?:(?:const|async|unsafe|extern(?:\s+"")?)\s+)*fn\s+(\w+)\s*(?:<[^()]*>)?(?=\()/,
  ],
  typescript: [
    /^(\s*)(?:export\s+)?(?:default\s+)?(?:async\s+)?function\b\s*\*?\s*([\w$]+)\s*(?:<[^()]*>)?(?=\()/,
    /^()(?:export\s+)?const\s+([\w$]+)\s*=\s*(?:async\s+)?(?:function\b\s*\*?\s*)?(?:<[^()]*>)?(?=\()/,
    /^(\s+)(?:(?:public|private|protected|static|override|async)\s+)*([\w$]+)\s*(?:<[^()]*>)?(?=\([^;]*\{\s*$|\($)/,
  ],
}

const RESULT: Record<Language, RegExp> = {
  python: /^\s*->([^:\n]+)/,
  rust: /^\s*->([^{;\n]+)/,
  typescript: /^\s*:([^={\n]+)/,
}

/** A signature with more lines is not read to its end. */
const LINES_MAX = 100

/** The functions whose first line is among the lines of one side of a hunk. Those of one name are left out. */
export function* signaturesIn(
  raw: readonly string[],
  code: readonly string[],
  { language, section }: { language: Language; section: string },
): Steps<Signature[]> {
  const found = new Map<string, Signature | null>()
  /** The line of the class that the next ones are in. */
  let around = section
  for (const [at, line] of code.entries()) {
    yield
    const signature = signatureOn(line, { raw: raw.slice(at, at + LINES_MAX), around, language })
    if (signature) found.set(signature.name, found.has(signature.name) ? null : signature)
    if (/\bclass\s/.test(line)) around = line
  }
  return [...found.values()].filter((signature) => signature !== null)
}

/** The function that begins on a line. `raw`: the line and those below it, with strings and comments. */
function signatureOn(
  line: string,
  { raw, around, language }: { raw: readonly string[]; around: string; language: Language },
): Signature | null {
  for (const head of HEADS[language]) {
    const [whole, indent, name] = head.exec(line) ?? []
    if (whole === undefined || name === undefined || isKeyword(name, language)) continue
    const text = raw.join('\n')
    const start = (raw[0] as string).indexOf('(', whole.length)
    const list = start === -1 ? null : argumentListAt(text, start, true)
    const called = constructedBy(name, around)
    if (list === null || called === null) return null
    const after = text.slice(list.end)
    const isValue = language === 'typescript' && /\bconst\s/.test(whole) && !/\bfunction\b/.test(whole)
    if (isValue && !/^\s*(?::[^=]+)?=>/.test(after)) return null
    return {
      name: called,
      is_top: indent === '' || called !== name,
      is_async: /\basync\b/.test(line),
      parameters: parametersOf(list.items, language),
      result: (RESULT[language].exec(after)?.[1] ?? '').replace(/\s+/g, ''),
    }
  }
  return null
}

/** The name itself, or that of the class that it constructs; null if the class is not shown. */
function constructedBy(name: string, around: string): string | null {
  if (name !== '__init__' && name !== 'constructor') return name
  return /\bclass\s+([\w$]+)/.exec(around)?.[1] ?? null
}

function parametersOf(items: readonly string[], language: Language): Parameter[] {
  const found: Parameter[] = []
  let is_keyword = false
  for (const [index, item] of items.entries()) {
    if (language === 'python' && item.startsWith('*') && !item.startsWith('**')) is_keyword = true
    if (/^[*/]$/.test(item) || (index === 0 && isReceiver(item))) continue
    const [, rest = '', name = '', optional = '', type = '', value] =
      /^(\*{1,2}|\.\.\.)?(?:(?:mut|readonly|public|private|protected)\s+)*([\w$]+|[{[][\s\S]*?[}\]])\s*(\?)?\s*(?::((?:[^=]|=>)*))?(?:=([\s\S]*))?$/.exec(
        item.slice(0, PARAMETER_MAX),
      ) ?? []
    found.push({
      name,
      type: type.replace(/\s+/g, ''),
      value: value?.trim() ?? (optional ? '' : null),
      is_rest: rest !== '',
      is_keyword: is_keyword && rest === '',
    })
  }
  return found
}

function isReceiver(item: string): boolean {
  return /^(?:self|cls|&\s*(?:'\w+\s+)?(?:mut\s+)?self|mut\s+self|self\s*:.*|this\s*:.*)$/.test(item)
}

/** A call by its number of arguments, by its arguments without names, and by each name that it gives. */
export const callOf = {
  count: (count: number) => `(${count}`,
  positional: (count: number) => `[${count}`,
  keyword: (name: string) => `=${name}`,
}

/** The calls that fit `before`, and no more `after`, or mean something else then. */
export function brokenCalls(before: Signature, after: Signature, language: Language): string[] {
  const counts = Array.from({ length: ARGUMENTS_MAX + 1 }, (_, count) => count)
  const lost = counts.filter((count) => takes(before, count) && !takes(after, count)).map(callOf.count)
  const named = new Set(after.parameters.map(({ name }) => name))
  const takesAny = after.parameters.some(({ is_rest, name }) => is_rest && name !== '')
  const removed =
    language === 'python' && !takesAny
      ? before.parameters
          .filter(({ name, is_rest }) => !is_rest && !named.has(name))
          .map(({ name }) => callOf.keyword(name))
      : []
  const isOther = (count: number) => takes(before, count) && meansOther(before, after, { count, language })
  return [...lost, ...removed, ...counts.filter(isOther).map(callOf.positional)]
}

function takes({ parameters }: Signature, count: number): boolean {
  const needed = parameters.filter(({ value, is_rest }) => value === null && !is_rest).length
  const most = parameters.some(({ is_rest }) => is_rest) ? Number.POSITIVE_INFINITY : parameters.length
  return needed <= count && count <= most
}

/**
 * Whether a call with `count` arguments without names passes one that has another type or place now, leaves out one with
 * another default, or gets another result.
 */
function meansOther(
  before: Signature,
  after: Signature,
  { count, language }: { count: number; language: Language },
): boolean {
  // Except in Rust, a type may be added where there was none.
  const differ = (one: string, other: string) =>
    one !== other && (language === 'rust' || (one !== '' && other !== ''))
  if (before.is_async !== after.is_async || differ(before.result, after.result)) return true
  const others = new Map(after.parameters.map((each) => [each.name, each]))
  return before.parameters.some((each, index) => {
    const other = others.get(each.name)
    if (other === undefined) return false
    if (index < count && !each.is_keyword)
      return after.parameters[index]?.name !== each.name || differ(each.type, other.type)
    return each.value !== null && other.value !== null && other.value !== each.value
  })
}

/** The shapes of the call of the name that ends at `end`; null if it is not called, or with a list whose length is unknown. */
export function shapesOfCall(text: string, end: number, language: Language): string[] | null {
  const [open] = /^(?:::)?(?:<[^<>()]*>)?(?:\?\.)?\(/.exec(text.slice(end)) ?? []
  const list = open === undefined ? null : argumentListAt(text, end + open.length - 1, false)
  if (list === null || list.items.some((item) => /^(?:\*|\.\.\.)/.test(item) && language !== 'rust'))
    return null
  const keywords =
    language === 'python' ? list.items.flatMap((item) => /^(\w+)\s*=(?!=)/.exec(item)?.[1] ?? []) : []
  const count = list.items.length
  if (count > ARGUMENTS_MAX) return null
  return [callOf.count(count), callOf.positional(count - keywords.length), ...keywords.map(callOf.keyword)]
}
