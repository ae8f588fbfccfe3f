/** Finds which names a line defines. Pure. */
import type { Language } from './code-text.ts'

export interface Definition {
  name: string
  /** It starts at the first column, so that it is a name of the file and not of a class. */
  is_top: boolean
  /** It is a constant, a variable or an alias: its line says what it is. */
  is_value: boolean
}

const DEFINITIONS: Record<Language, readonly RegExp[]> = {
  python: [/^(\s*)(?:async\s+)?def\s+(\w+)/, /^(\s*)class\s+(\w+)/, /^()(\w+)\s*(?::[^=]+)?=(?!=)/],
  typescript: [
    /^(\s*)(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:const\s+(?=enum\b))?(?:function\b\s*\*?|(?:class|interface|enum|namespace|type)\b)\s*([\w$]+)(?!\s*[,}])/,
    // `declare const` names a global of the browser, which stays.
    /^()(?:export\s+)?(?:const|let|var)\s+([\w$]+)/,
  ],
  rust: [
    /^(\s*)(?:pub(?:\([^)]*\))?\s+)?(?:default\s+)?(?:(?:const|async|unsafe|extern(?:\s+"")?)\s+)*(?:fn|struct|enum|trait|type|union|mod|const|static(?:\s+mut)?|macro_rules!)\s+(\w+)/,
  ],
}

const VALUE: Record<Language, RegExp> = {
  python: /^\w+\s*(?::[^=]+)?=(?!=)/,
  typescript: /^(?:export\s+)?(?:const|let|var|type)\s(?!.*=>)(?!.*\bfunction\b)/,
  rust: /\b(?:const\s+(?!fn\b|unsafe\b|async\b)|static\s|type\s)/,
}

/** The definition on a line of code; null if there is none. */
export function definitionOn(code: string, language: Language): Definition | null {
  for (const expression of DEFINITIONS[language]) {
    const [, indent, name] = expression.exec(code) ?? []
    if (name !== undefined) return { name, is_top: indent === '', is_value: VALUE[language].test(code) }
  }
  return null
}

/** The type of `impl T {` or `impl<A> T<A> {`; null for another line and for `impl Trait for T`. */
export function implementedType(code: string): string | null {
  const [, rest] = /\bimpl\b(.*)/.exec(code) ?? []
  if (rest === undefined || /\bfor\b/.test(rest)) return null
  return /^(?:\w+::)*(\w+)/.exec(withoutParameters(rest.trim()))?.[1] ?? null
}

/** The text after `<…>` at its start. */
function withoutParameters(text: string): string {
  if (!text.startsWith('<')) return text
  let depth = 0
  for (const [at, character] of [...text].entries()) {
    if (character === '<') depth += 1
    else if (character === '>') depth -= 1
    if (depth === 0) return text.slice(at + 1).trim()
  }
  return ''
}

/** Names that are too common to say what is meant. */
const COMMON = new Set(
  `main test tests setup teardown run start stop init build make create update delete remove insert append push find
  get set add has use call apply open close load save read write send receive fetch parse format render print dump copy
  clone move merge split join sort filter reduce each map list item items name names value values data info config
  configs option options state status result results response request error errors exception message messages event events
  path paths file files directory dir line lines text body header headers content contents args kwargs arguments params
  param props context handler handlers callback client server service session user users group model models view views
  form field fields column columns table row rows key keys type types kind node nodes index count size length width height
  total sum color point range created updated default defaults base common utils helper helpers
  util core Model Models View Config Settings Error Errors Options Option User Users Item Items Foo Bar Baz Test Tests
  Base Node Result Context Handler Client Server Request Response Meta Field Form Table Event State Props Data Type Value
  execute process handle validate check verify version debug warn logger module package require exports inner outer
  next prev first last left right parent child children root source target input output new from into default`
    .trim()
    .split(/\s+/),
)

const COMPOUND = /[a-z0-9][A-Z]|\w_\w/

/** How much a name says: `compound` names are rarely the same by chance; null for a name that says nothing. */
export function distinctness(name: string): 'compound' | 'long' | null {
  if (name.length < 4 || COMMON.has(name)) return null
  if (COMPOUND.test(name)) return 'compound'
  return name.length >= 6 ? 'long' : null
}
