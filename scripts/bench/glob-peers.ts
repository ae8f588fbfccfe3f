/** Alternatives to the service's glob intersection: automata (refa), and sampling with picomatch. */
import picomatch from 'picomatch'
import { isDisjointWith, JS, NFA } from 'refa'

/** The service's syntax: wildcards match dot files, `!` and parentheses are plain characters. */
const PICOMATCH = { dot: true, nonegate: true, noextglob: true, posix: true }

/** A parsed glob. Parsing is not measured for any alternative. */
export interface Sampled {
  matches(path: string): boolean
  samples: string[]
}

export function automatonOf(glob: string): NFA {
  const pattern = alternativesOf(glob).map(regexOf).join('|')
  const { expression, maxCharacter } = JS.Parser.fromLiteral(new RegExp(`(?:${pattern})`, 'u')).parse()
  return NFA.fromRegex(expression, { maxCharacter })
}

export function automataOverlap(a: NFA, b: NFA): boolean {
  return !isDisjointWith(a, b)
}

export function sampledOf(glob: string): Sampled {
  const samples = alternativesOf(glob).flatMap((each) => [
    filled(each, { depth: '', name: 'x' }),
    filled(each, { depth: 'x/y/', name: 'xy' }),
  ])
  return { matches: picomatch(glob, PICOMATCH), samples: [...new Set(samples)] }
}

export function samplesOverlap(a: Sampled, b: Sampled): boolean {
  return a.samples.some((path) => b.matches(path)) || b.samples.some((path) => a.matches(path))
}

/** Expands braces; these globs do not nest them. */
function alternativesOf(glob: string): string[] {
  const found = /\{([^{}]*)\}/.exec(glob)
  if (!found) return [glob]
  const [whole, inner = ''] = found
  return inner.split(',').flatMap((each) => alternativesOf(glob.replace(whole, each)))
}

function regexOf(glob: string): string {
  const segments = glob.split('/')
  const last = segments.length - 1
  const parts = segments.map((segment, at) => {
    if (segment === '**') return at === last ? '[^/]+(?:\\/[^/]+)*' : '(?:[^/]+\\/)*'
    return `${segment === '*' ? '[^/]+' : nameRegex(segment)}${at === last ? '' : '\\/'}`
  })
  // A glob that ends in a plain name covers everything below it.
  const isPlain = !/[*?[]/.test(segments[last] as string)
  return `${parts.join('')}${isPlain ? '(?:\\/[^/]+)*' : ''}`
}

function nameRegex(segment: string): string {
  return segment.replaceAll(/\[[^\]]*\]|[*?]|[.+^$()|{}\\/-]/g, (found) => {
    if (found === '*') return '[^/]*'
    if (found === '?') return '[^/]'
    // A class also matches its own text.
    if (found.startsWith('[')) return `(?:${found}|${found.replaceAll(/[[\]-]/g, '\\$&')})`
    return found === '-' ? '-' : `\\${found}`
  })
}

function filled(glob: string, { depth, name }: { depth: string; name: string }): string {
  return glob
    .replaceAll(/\*\*\/(?=.)/g, depth)
    .replaceAll('**', `${depth}${name}`)
    .replaceAll('*', name)
    .replaceAll('?', 'x')
    .replaceAll(/\[([^\]])[^\]]*\]/g, '$1')
}
