/** Checks all brace alternatives of a glob for names and `..` segments without building them (contract §6). */

import type { Sequence } from './braces.ts'
import { SLASH } from './tokens.ts'

/** Some alternative has a segment other than an empty one and `.`. */
export const NAMED = 0x10
/** Some alternative has a `..` segment. */
export const PARENT = 0x100
/** Some alternative has no such segment. */
const NAMELESS = 0x01

const DOT = 0x2e

/**
 * The bits `NAMED` and `PARENT` where they hold. It takes linear time, because it reads all alternatives at once: four
 * bits record the possible forms of the current segment (empty, `.`, `..`, other) in alternatives without a name so far,
 * and the next four bits in alternatives with one.
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
