/** Checks source files against the rules of the architecture. */
import { posix } from 'node:path'
import { parseAst } from 'vitest/node'

export interface Architecture {
  /** The programs and what they share: each top folder of `src`, and the other top folders that it may import from. */
  programs: Record<string, string[]>
  /** The folders under `src`, and the floor of each. Folders on one floor do not import each other. */
  floors: Record<string, number>
  /** Files directly in `src`. They can import everything, and no file imports them. */
  entryPoints: string[]
  /** Packages and `READINGS` that only some files can use. */
  reserved: { what: string; to: RegExp }[]
}

/** Reads from the environment of the process, for `reserved`. */
export const READINGS = { clock: 'the clock', environment: 'the environment' } as const

const LINES_MAX = 250
const KEBAB_FILE = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)+$/
const KEBAB_FOLDER = /^[a-z0-9]+(-[a-z0-9]+)*$/
const VAGUE_NAME = /(^|-)(utils?|helpers?|common|types?|services?|managers?)$/

/** One line per violation; the linter checks for import cycles and default exports. `sources` maps paths under `src` to file contents. */
export function violations(sources: Record<string, string>, architecture: Architecture): string[] {
  return Object.entries(sources).flatMap(([file, source]) =>
    [
      ...nameProblems(file),
      ...floorProblems(file, architecture),
      ...(file.endsWith('.ts') ? sourceProblems(file, source, architecture) : []),
    ].map((problem) => `src/${file} ${problem}`),
  )
}

function nameProblems(file: string): string[] {
  const folders = posix.dirname(file).split('/')
  const name = posix.basename(file)
  const problems: string[] = []
  if (!KEBAB_FILE.test(name) || folders.some((folder) => folder !== '.' && !KEBAB_FOLDER.test(folder))) {
    problems.push('is not named in kebab-case')
  }
  if ([...folders, name.replace(/\..*$/, '')].some((part) => VAGUE_NAME.test(part))) {
    problems.push('has a name that does not say what is in it')
  }
  return problems
}

function floorProblems(file: string, architecture: Architecture): string[] {
  return folderOf(file, architecture) === undefined ? ['is on no floor'] : []
}

function sourceProblems(file: string, source: string, architecture: Architecture): string[] {
  const facts = factsOf(source)
  const problems: string[] = []
  if (!/^(#!.*\n)?\/[/*]/.test(source)) problems.push('does not open with a comment that says what it is for')
  const lines = source.trimEnd().split('\n').length
  if (lines > LINES_MAX) problems.push(`has ${lines} lines, more than ${LINES_MAX}`)

  for (const specifier of facts.imports) {
    if (specifier.startsWith('.')) problems.push(...importProblems(file, specifier, architecture))
  }
  for (const { what, to } of architecture.reserved) {
    if (facts.uses.has(what) && !to.test(file)) problems.push(`uses ${what}`)
  }
  return problems
}

function importProblems(file: string, specifier: string, architecture: Architecture): string[] {
  const target = posix.join(posix.dirname(file), specifier)
  if (target.startsWith('..')) return [`imports ${specifier} from outside src`]
  const [from, to] = [folderOf(file, architecture), folderOf(target, architecture)]
  if (from === undefined || to === undefined || from === to) return []
  const height = (folder: string) => architecture.floors[folder] as number
  if (from === ENTRY_POINT) return []
  if (to === ENTRY_POINT) return [`imports ${target}, an entry point`]
  const [program, other] = [topFolderOf(file), topFolderOf(target)]
  if (program !== other && !architecture.programs[program]?.includes(other))
    return [`imports ${target} from ${other}, which ${program} may not use`]
  if (height(to) > height(from)) return [`imports ${target} from a higher floor`]
  return height(to) === height(from) ? [`imports ${target} from another folder on its floor`] : []
}

const ENTRY_POINT = 'an entry point'

function topFolderOf(file: string): string {
  return file.slice(0, file.indexOf('/'))
}

function folderOf(file: string, architecture: Architecture): string | undefined {
  if (architecture.entryPoints.includes(file)) return ENTRY_POINT
  const folders = Object.keys(architecture.floors).filter((folder) => file.startsWith(`${folder}/`))
  return folders.toSorted((one, other) => other.length - one.length)[0]
}

interface Facts {
  imports: string[]
  /** Imported packages and `READINGS`. */
  uses: Set<string>
}

type Node = Record<string, unknown> & { type: string }

function factsOf(source: string): Facts {
  const facts: Facts = { imports: [], uses: new Set() }
  visit(parseAst(source, { lang: 'ts' }), (node) => {
    const from = node.source
    if (isNode(from) && typeof from.value === 'string') facts.imports.push(from.value)
    if (readsClock(node)) facts.uses.add(READINGS.clock)
    if (readsEnvironment(node)) facts.uses.add(READINGS.environment)
  })
  for (const specifier of facts.imports) {
    if (/^(node:)?perf_hooks$/.test(specifier)) facts.uses.add(READINGS.clock)
    if (/^(node:)?process$/.test(specifier)) facts.uses.add(READINGS.environment)
    const name = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0]
    if (name && !specifier.startsWith('.')) facts.uses.add(name)
  }
  return facts
}

function readsClock(node: Node): boolean {
  if (node.type === 'NewExpression')
    return nameOf(node.callee) === 'Date' && (node.arguments as []).length === 0
  if (node.type === 'CallExpression') return nameOf(node.callee) === 'Date'
  return (
    isMember(node, 'Date', 'now') ||
    isMember(node, 'performance', 'now') ||
    isMember(node, 'process', 'hrtime')
  )
}

function readsEnvironment(node: Node): boolean {
  if (isMember(node, 'process', 'env')) return true
  return node.type === 'VariableDeclarator' && nameOf(node.init) === 'process'
}

function isMember(node: Node, object: string, property: string): boolean {
  if (node.type !== 'MemberExpression') return false
  const owner =
    isNode(node.object) && node.object.type === 'MemberExpression' ? node.object.property : node.object
  return nameOf(owner) === object && nameOf(node.property) === property
}

/** The name of an identifier, or the value of a string literal. */
function nameOf(node: unknown): unknown {
  return isNode(node) ? (node.name ?? node.value) : undefined
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (isNode(value)) see(value)
  if (typeof value !== 'object' || value === null) return
  for (const child of Object.values(value)) visit(child, see)
}
