/** Finds the names that a line of code uses, and how. Pure. */
import { isKeyword, type Language } from './code-text.ts'

export interface Use {
  name: string
  /**
   * `bare`: the name alone. `own`: a member of the object or type of the code, such as `self.name`. `of`: of the name
   * `qualifier`. `other`: of an expression.
   */
  form: 'bare' | 'own' | 'of' | 'other'
  qualifier: string | null
  /** Whether it stands where code has a name. Prose in a docstring does not. */
  is_code_like: boolean
  /** The index behind it. */
  end: number
}

const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/gu
const OPERATOR_BEFORE = /(?:^|\s)(?:return|raise|await|new|in|not|is|as|extends|implements)\s+$/
const PUNCTUATION_BEFORE = /[^\s\p{L}\p{N}_$]\s*$/u
const PUNCTUATION_AFTER = /^\s*[^\s\p{L}\p{N}_$]/u

/** How much of the code before a name tells its form. */
const BEFORE_MAX = 100

/** The names on a line of code without keywords. */
export function usesOn(code: string, language: Language): Use[] {
  const found: Use[] = []
  for (const match of code.matchAll(NAME)) {
    const [name] = match
    if (name.length < 2 || isKeyword(name, language)) continue
    const before = code.slice(Math.max(0, match.index - BEFORE_MAX), match.index)
    const end = match.index + name.length
    const after = code.slice(end)
    // `name=` binds a name, or names a parameter.
    if (language === 'python' && /^\s*=(?!=)/.test(after)) continue
    const is_code_like =
      OPERATOR_BEFORE.test(before) || PUNCTUATION_BEFORE.test(before) || PUNCTUATION_AFTER.test(after)
    found.push({ name, ...formOf(before), is_code_like, end })
  }
  return found
}

function formOf(before: string): Pick<Use, 'form' | 'qualifier'> {
  const isDotted = /(?<!\.)\.$/.test(before)
  if (!isDotted && !before.endsWith('::')) return { form: 'bare', qualifier: null }
  const [, chain] = /((?:[\w$]+\??\.)*[\w$]+)(?:\?|::<[^<>]*>)?(?:\.|::)$/.exec(before) ?? []
  if (chain === undefined) return { form: 'other', qualifier: null }
  const names = chain.split(/\??\./)
  if (/^(?:self|Self|cls|this)$/.test(names[0] as string) && names.length <= 2)
    return { form: 'own', qualifier: null }
  return { form: 'of', qualifier: names.at(-1) as string }
}
