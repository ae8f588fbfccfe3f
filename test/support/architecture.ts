/** Reads what source files import and touch, and says which rules of the house they break. */
import { posix } from 'node:path'
import { parseAst } from 'vitest/node'

export interface House {
  /** Folders under `src`, from the ground up. Those on one floor do not know each other. */
  floors: string[][]
  /** The files of `src` itself: they may import everything, nothing imports them. */
  roof: string[]
  /** What only some files may touch: a package, or one of the `READINGS`. */
  reserved: { what: string; to: RegExp }[]
}

/** Names for reading the world around a process; `reserved` rules refer to them. */
export const READINGS = { clock: 'the clock', environment: 'the environment' } as const

const LINES_MAX = 300
const KEBAB_FILE = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)+$/
const KEBAB_FOLDER = /^[a-z0-9]+(-[a-z0-9]+)*$/
const SAYS_NOTHING = /(^|-)(utils?|helpers?|common|types?|services?|managers?)$/

/** One line per broken rule, for files given as path under `src` → source. */
export function brokenRules(sources: Record<string, string>, house: House): string[] {
  return Object.entries(sources).flatMap(([file, source]) =>
    [
      ...nameProblems(file),
      ...placeProblems(file, house),
      ...(file.endsWith('.ts') ? sourceProblems(file, source, house) : []),
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
  if ([...folders, name.replace(/\..*$/, '')].some((part) => SAYS_NOTHING.test(part))) {
    problems.push('has a name that does not say what is in it')
  }
  return problems
}

function placeProblems(file: string, house: House): string[] {
  return folderOf(file, house) === undefined ? ['is on no floor'] : []
}

function sourceProblems(file: string, source: string, house: House): string[] {
  const problems: string[] = []
  if (!/^(#!.*\n)?\/[/*]/.test(source)) problems.push('does not open with a comment that says what it is for')
  const lines = source.trimEnd().split('\n').length
  if (lines > LINES_MAX) problems.push(`has ${lines} lines, more than ${LINES_MAX}`)

  const facts = factsOf(source)
  if (facts.exportsDefault) problems.push('has a default export')
  for (const specifier of facts.imports) {
    if (specifier.startsWith('.')) problems.push(...importProblems(file, specifier, house))
  }
  for (const { what, to } of house.reserved) {
    if (facts.touches.has(what) && !to.test(file)) problems.push(`touches ${what}`)
  }
  return problems
}

function importProblems(file: string, specifier: string, house: House): string[] {
  const target = posix.join(posix.dirname(file), specifier)
  if (target.startsWith('..')) return [`imports ${specifier} from outside src`]
  const [from, to] = [folderOf(file, house), folderOf(target, house)]
  if (from === undefined || to === undefined || from === to) return []
  const height = (folder: string) => house.floors.findIndex((floor) => floor.includes(folder))
  if (from === ROOF) return []
  if (to === ROOF) return [`imports ${target} from the roof`]
  if (height(to) > height(from)) return [`imports ${target} from a higher floor`]
  return height(to) === height(from) ? [`imports ${target} from another folder on its floor`] : []
}

const ROOF = 'the roof'

function folderOf(file: string, house: House): string | undefined {
  if (house.roof.includes(file)) return ROOF
  return house.floors.flat().find((folder) => file.startsWith(`${folder}/`))
}

interface Facts {
  imports: string[]
  /** Packages imported and `READINGS` made. */
  touches: Set<string>
  exportsDefault: boolean
}

type Node = Record<string, unknown> & { type: string }

function factsOf(source: string): Facts {
  const facts: Facts = { imports: [], touches: new Set(), exportsDefault: false }
  visit(parseAst(source, { lang: 'ts' }), (node) => {
    const from = node.source
    if (isNode(from) && typeof from.value === 'string') facts.imports.push(from.value)
    if (node.type === 'ExportDefaultDeclaration') facts.exportsDefault = true
    if (node.type === 'ExportSpecifier' && nameOf(node.exported) === 'default') facts.exportsDefault = true
    if (readsClock(node)) facts.touches.add(READINGS.clock)
    if (readsEnvironment(node)) facts.touches.add(READINGS.environment)
  })
  for (const specifier of facts.imports) {
    if (/^(node:)?perf_hooks$/.test(specifier)) facts.touches.add(READINGS.clock)
    if (/^(node:)?process$/.test(specifier)) facts.touches.add(READINGS.environment)
    const name = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0]
    if (name && !specifier.startsWith('.')) facts.touches.add(name)
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

/** The text of an identifier, or of the string that stands for one. */
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
