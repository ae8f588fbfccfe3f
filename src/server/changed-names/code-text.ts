/** The code of changed lines: which language a file is in, and its lines without strings and comments. Pure. */

export type Language = 'python' | 'typescript' | 'rust'

const LANGUAGES: Record<string, Language> = {
  py: 'python',
  pyi: 'python',
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  js: 'typescript',
  jsx: 'typescript',
  mjs: 'typescript',
  cjs: 'typescript',
  rs: 'rust',
}

/** Null for a file in another language. */
export function languageOf(path: string): Language | null {
  const extension = /\.(\w+)$/.exec(path)?.[1] ?? ''
  return Object.hasOwn(LANGUAGES, extension) ? (LANGUAGES[extension] as Language) : null
}

/** A string without its closing quotes within the hunk ends with its line. That of Rust holds no other one, so that the search for its end is short. */
const HIDDEN: Record<Language, RegExp> = {
  python: /("""|''')[\s\S]*?\1|(?:"""|''')[^\n]*|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|#[^\n]*/g,
  typescript:
    /`(?:\\[\s\S]|[^`\\])*`|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g,
  rust: /r(#+)"(?:(?!r#)[\s\S])*?"\1|"(?:\\[\s\S]|[^"\\])*"|'(?:\\[^']{1,10}|[^'\\\n])'|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g,
}

/** The lines with an empty string in place of each string, and without comments. What templates insert stays. */
export function codeOf(lines: readonly string[], language: Language): string[] {
  return lines.join('\n').replace(HIDDEN[language], visiblePart).split('\n')
}

function visiblePart(hidden: string): string {
  const newlines = hidden.replace(/[^\n]/g, '')
  if (/^(?:#|\/[/*])/.test(hidden)) return newlines
  const inserted = hidden.startsWith('`')
    ? [...hidden.matchAll(/\$\{([^{}\n]*)\}/g)].map(([, expression]) => `(${expression})`)
    : []
  return `""${inserted.join('')}${newlines}`
}

const KEYWORDS: Record<Language, ReadonlySet<string>> = {
  python: wordsOf(
    `False None True and as assert async await break case class continue def del elif else except finally for from global if
    import in is lambda match nonlocal not or pass raise return self cls try type while with yield`,
  ),
  typescript: wordsOf(
    `abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum
    export extends false finally for from function get if implements import in infer instanceof interface is keyof let
    namespace never new null number object of private protected public readonly return satisfies set static string super
    switch symbol this throw true try type typeof undefined unknown var void while with yield`,
  ),
  rust: wordsOf(
    `Self Some None Ok Err as async await bool box break char const continue crate dyn else enum extern f32 f64 false fn for
    i8 i16 i32 i64 i128 if impl in isize let loop match mod move mut pub ref return self static str struct super trait true
    type u8 u16 u32 u64 u128 union unsafe use usize where while`,
  ),
}

export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/))
}

export function isKeyword(name: string, language: Language): boolean {
  return KEYWORDS[language].has(name)
}

/** The words of a text: names, also within strings and comments. */
export const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu
