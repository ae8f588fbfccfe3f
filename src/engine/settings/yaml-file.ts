/** Parses untrusted YAML with bounded time and memory. Pure. */
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Pair,
  Parser,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml'

const LENGTH_MAX = 65_536
const DEPTH_MAX = 50
const ALIASES_MAX = 50
/** The maximum number of characters and entries after all aliases are expanded. */
const SIZE_MAX = 2 * LENGTH_MAX
const PROBLEMS_MAX = 20

type Path = readonly PropertyKey[]

/** A reason why the text is rejected. */
export interface YamlProblem {
  /** Counted from 1; null if the problem is the text as a whole. */
  line: number | null
  /** The path of the entry; empty if it is unknown. */
  path: Path
  message: string
}

export interface YamlFile {
  /** Plain data of bounded size; null if the text has no content, undefined if there is a problem. */
  value: unknown
  /** At most 20. */
  problems: YamlProblem[]
  /** The line, counted from 1, of the value or the name at `path`, or of the nearest enclosing entry that exists. */
  lineOf: (path: Path, part: 'name' | 'value') => number | null
}

/** Parses a YAML document. Keys that are not strings, nonstandard tags and duplicate keys are problems. Never throws. */
export function readYaml(text: string): YamlFile {
  if (text.length > LENGTH_MAX) return refused(`the file is longer than ${LENGTH_MAX} characters`)
  if (isTooDeep(text)) return refused(`the file is nested deeper than ${DEPTH_MAX} levels`)
  const lines = new LineCounter()
  // `wrongNames` finds duplicate keys in linear time; the library takes quadratic time.
  const document = parseDocument(text, {
    lineCounter: lines,
    schema: 'core',
    stringKeys: true,
    uniqueKeys: false,
    resolveKnownTags: false,
    prettyErrors: false,
  })
  const lineAt = (offset: number | null) => (offset === null ? null : lines.linePos(offset).line)
  const wrong = [...document.errors, ...document.warnings].map(wrongSyntax)
  const problems = (wrong.length > 0 ? wrong : wrongNodes(document))
    .slice(0, PROBLEMS_MAX)
    .map(({ offset, ...rest }) => ({ line: lineAt(offset), ...rest }))
  const lineOf: YamlFile['lineOf'] = (path, part) => lineAt(offsetOf(document, path, part))
  if (problems.length > 0) return { value: undefined, problems, lineOf }
  const value = contentOf(document)
  return value === undefined
    ? refused('the aliases of the file expand to too much data; replace them with their values')
    : { value, problems, lineOf }
}

function refused(message: string): YamlFile {
  return { value: undefined, problems: [{ line: null, path: [], message }], lineOf: () => null }
}

/**
 * The library composes a document recursively, and V8 aborts the process when the stack overflows inside a regular
 * expression. The library's parser is not recursive, so it can determine the depth first.
 */
function isTooDeep(text: string): boolean {
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme));
    if (parser.stack.length > DEPTH_MAX) return true
  }
  return false
}

interface Wrong extends Omit<YamlProblem, 'line'> {
  offset: number | null
}

function wrongSyntax({ code, message, pos }: YAMLError): Wrong {
  return { offset: pos[0], path: [], message: ADVICE[code]?.(message) ?? message }
}

/** Replaces messages of the library that refer to its own API or do not say what to do. */
const ADVICE: Partial<Record<YAMLError['code'], (message: string) => string>> = {
  MULTIPLE_DOCS: () => "the file must contain one document; remove the line '---'",
  NON_STRING_KEY: () => 'a key must be a string, not a list, a mapping or an alias',
  TAG_RESOLVE_FAILED: (message) => `${message}; remove the tag`,
}

function wrongNodes(document: Document): Wrong[] {
  const wrong: Wrong[] = []
  const anchors = new Set<string>()
  let aliases = 0
  visit(document, {
    Node(_, node, ancestors) {
      const add = (at: unknown, message: string) => {
        if (wrong.length === PROBLEMS_MAX) return
        wrong.push({ offset: startOf(at), path: pathOf([...ancestors, node, at]), message })
      }
      if (isAlias(node)) {
        // Resolving an alias may visit the whole document, so the number of aliases is checked first.
        aliases += 1
        if (aliases > ALIASES_MAX) {
          add(node, `the file must contain at most ${ALIASES_MAX} aliases; replace some with their values`)
          return visit.BREAK
        }
        if (!anchors.has(node.source)) add(node, `the alias *${node.source} has no anchor before it`)
      } else if (node.anchor) anchors.add(node.anchor)
      if (isMap(node)) for (const [pair, message] of wrongNames(node)) add(pair, message)
      return wrong.length === PROBLEMS_MAX ? visit.BREAK : undefined
    },
  })
  return wrong
}

function* wrongNames(map: YAMLMap): Generator<[Pair, string]> {
  const names = new Set<unknown>()
  for (const pair of map.items) {
    const name = isScalar(pair.key) ? pair.key.value : undefined
    if (names.has(name)) yield [pair, 'appears twice in the same mapping; keep one']
    if (name === '__proto__') yield [pair, 'is a reserved name; choose another one']
    names.add(name)
  }
}

function contentOf(document: Document): unknown {
  try {
    const value: unknown = document.toJS({ maxAliasCount: ALIASES_MAX }) ?? null
    return isLarger(value, SIZE_MAX) ? undefined : value
  } catch {
    return undefined
  }
}

/** Whether a value has more than `max` characters and entries. With aliases, a short text can expand to a very long or endless value. */
function isLarger(value: unknown, max: number): boolean {
  const todo = [value]
  let size = 0
  while (todo.length > 0 && size <= max) {
    const next = todo.pop()
    size += typeof next === 'string' ? next.length + 1 : 1
    if (typeof next === 'object' && next !== null) for (const each of Object.values(next)) todo.push(each)
  }
  return size > max
}

/** `nodes`: the document, and then each node within the one before. Returns the path of the last one. */
function pathOf(nodes: readonly unknown[]): Path {
  return nodes.flatMap((node, at): PropertyKey[] => {
    const around = nodes[at - 1]
    if (isPair(node)) return isScalar(node.key) ? [String(node.key.value)] : []
    return isSeq(around) ? [around.items.indexOf(node)] : []
  })
}

function offsetOf(document: Document, path: Path, part: 'name' | 'value'): number | null {
  let node: unknown = document.contents
  let offset = startOf(node)
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find((each) => isScalar(each.key) && each.key.value === key)
      if (!pair) return offset
      offset = startOf(pair.key)
      node = pair.value
    } else if (isSeq(node)) {
      node = node.items[Number(key)]
      offset = startOf(node) ?? offset
    } else return offset
  }
  // A list or a mapping begins on the line after its name. The line of the name is more helpful.
  const isLeaf = isScalar(node) || isAlias(node)
  return part === 'value' && isLeaf ? startOf(node) : offset
}

function startOf(at: unknown): number | null {
  const node = isPair(at) ? at.key : at
  return isNode(node) && node.range ? node.range[0] : null
}
