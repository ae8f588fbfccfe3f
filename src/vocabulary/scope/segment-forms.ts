/** Checks all brace alternatives of a glob for names and `..` segments without building them. */
import type { Sequence } from './braces.ts'
import { SLASH } from './glob-tokens.ts'

/** Some alternative has a name: a segment that is not empty, `.` or `..`. */
export const NAMED = 0x10
/** Some alternative has a `..` segment. */
export const PARENT = 0x100
/** Some alternative has no name. */
const NAMELESS = 0x01

const DOT = 0x2e

/**
 * Returns those of the bits `NAMED`, `NAMELESS` and `PARENT` that are true. Takes linear time, because it reads all
 * alternatives at once. Meanwhile, bits 0 to 3 say whether the current segment is empty, `.`, `..` or a name in some
 * alternative without an earlier name. Bits 4 to 7 say the same of alternatives with an earlier name.
 */
export function formsOf(whole: Sequence): number {
  return afterSlash(afterSequence(whole, NAMELESS))
}

function afterSequence({ runs, alternations }: Sequence, before: number): number {
  let forms = before
  for (let at = 0; at < runs.length; at++) {
    for (const token of runs[at] as readonly number[]) forms = afterToken(token, forms)
    const from = forms
    const branches = alternations[at]?.branches
    if (branches !== undefined) forms = branches.reduce((all, branch) => all | afterSequence(branch, from), 0)
  }
  return forms
}

function afterToken(token: number, forms: number): number {
  if (token === SLASH) return afterSlash(forms)
  if (token === DOT) return (forms & PARENT) | ((forms & 0x77) << 1) | (forms & 0x88)
  return (forms & PARENT) | (forms & 0x0f ? 0x08 : 0) | (forms & 0xf0 ? 0x80 : 0)
}

function afterSlash(forms: number): number {
  const parent = forms & 0x44 ? PARENT : 0
  const nameless = forms & 0x03 ? NAMELESS : 0
  const named = forms & 0xb8 ? NAMED : 0
  return (forms & PARENT) | parent | nameless | named
}
