/** Reads from the patch of one file which names it defines, imports and uses before and after. Pure. */
import type { Steps } from '../base/event-loop.ts'
import { type PatchHunk, type PatchLine, readPatch } from '../line-verdicts/patch.ts'
import { codeOf, isKeyword, type Language, WORD } from './code-text.ts'
import { definitionOn, implementedType } from './definitions.ts'
import { type Import, importsIn } from './imports.ts'
import { brokenCalls, type Signature, shapesOfCall, signaturesIn } from './signatures.ts'
import { type Use, usesOn } from './uses.ts'

/** A definition that the patch removes. */
export interface RemovedDefinition {
  name: string
  is_top: boolean
  /** The Rust type whose `impl` it is in; null for another one. */
  type: string | null
}

/** A function that the patch changes. */
export interface ChangedSignature extends RemovedDefinition {
  /** The calls that fit no more; see `callOf`. */
  broken: string[]
}

/** How often a patch adds a name more than it removes it, by the text that stands for the use. */
export type Counts = Map<string, number>

export interface FileNames {
  language: Language
  /** The names that a hunk imports on its old side and not on its new one. */
  no_longer_imported: Set<string>
  removed: RemovedDefinition[]
  /** Values that a hunk defines before and after, with another text. */
  redefined: RemovedDefinition[]
  changed: ChangedSignature[]
  /** Names that added lines define. */
  defined: Set<string>
  /** What added lines import. */
  imported: Import[]
  /** The names of imports that are added more often than they are removed, by `module name`. */
  imports: Counts
  /** All words of added lines of code. */
  added_words: Set<string>
  words: Counts
  /** Bare uses that stand where code has a name, all bare ones, those as a member of `self`, and those of `qualifier name`. */
  code_like: Counts
  bare: Counts
  own: Counts
  of: Counts
  /** Calls, by the form, the qualifier or `-`, the name and the shape of each (see `callOf`). */
  calls: Counts
  /** What the hunks show to be imported after the change, by the name that the file uses. */
  bindings: Map<string, Import>
}

/**
 * Patches are written by strangers: these limits bound the work on one hunk. Longer lines, such as those of minified code, are
 * read as empty ones.
 */
const LINE_MAX = 500
const LINES_MAX = 5_000

export function* readFileNames(patch: string, language: Language): Steps<FileNames> {
  const names: FileNames = {
    language,
    no_longer_imported: new Set(),
    removed: [],
    redefined: [],
    changed: [],
    defined: new Set(),
    imported: [],
    imports: new Map(),
    added_words: new Set(),
    words: new Map(),
    code_like: new Map(),
    bare: new Map(),
    own: new Map(),
    of: new Map(),
    calls: new Map(),
    bindings: new Map(),
  }
  for (const hunk of readPatch(patch, LINES_MAX)) yield* addHunk(names, hunk)
  for (const word of names.added_words) names.no_longer_imported.delete(word)
  return names
}

/** One side of a hunk: the lines before or after the change. */
interface Side {
  lines: PatchLine[]
  code: string[]
  imports: Import[]
  signatures: Signature[]
}

function* sideOf(
  { lines, section }: PatchHunk,
  left_out: PatchLine['kind'],
  language: Language,
): Steps<Side> {
  const kept = lines.filter(({ kind }) => kind !== left_out)
  const raw = kept.map(({ text }) => (text.length > LINE_MAX ? '' : text))
  const code = codeOf(raw, language)
  yield
  const imports = importsIn(raw, code, language)
  yield
  const signatures = yield* signaturesIn(raw, code, { language, section })
  return { lines: kept, code, imports, signatures }
}

function* addHunk(names: FileNames, hunk: PatchHunk): Steps<void> {
  const { language } = names
  const before = yield* sideOf(hunk, 'added', language)
  const after = yield* sideOf(hunk, 'removed', language)
  const bound = new Set(after.imports.map((each) => each.bound))
  for (const { bound: name } of before.imports)
    if (name !== null && name.length >= 2 && !bound.has(name) && !isKeyword(name, language))
      names.no_longer_imported.add(name)
  const added = new Set<string>()
  for (const [at, { kind }] of after.lines.entries()) {
    if (kind !== 'added') continue
    yield
    const code = after.code[at] as string
    const definition = definitionOn(code, language)
    if (definition) added.add(definition.name)
    for (const [word] of code.matchAll(WORD)) names.added_words.add(word)
    countLine(names, after.code, { at, by: 1 })
  }
  for (const name of added) names.defined.add(name)
  let around = hunk.section
  for (const [at, { kind }] of before.lines.entries()) {
    const code = before.code[at] as string
    if (kind === 'removed') {
      yield
      const definition = definitionOn(code, language)
      const type = language === 'rust' ? implementedType(around) : null
      if (definition) names.removed.push({ ...definition, type })
      if (definition?.is_value && added.has(definition.name)) names.redefined.push({ ...definition, type })
      countLine(names, before.code, { at, by: -1 })
    }
    if (IMPL.test(code)) around = code
  }
  for (const [{ lines, imports }, changed, by] of [
    [before, 'removed', -1],
    [after, 'added', 1],
  ] as const)
    for (const each of imports) {
      if (lines[each.line]?.kind !== changed) continue
      if (by === 1) names.imported.push(each)
      if (each.imported !== null) count(names.imports, `${each.module} ${each.imported}`, by)
    }
  for (const each of after.imports) if (each.bound !== null) names.bindings.set(each.bound, each)
  addChanged(names, { before, after, section: hunk.section })
}

function addChanged(
  { changed, language }: FileNames,
  { before, after, section }: { before: Side; after: Side; section: string },
): void {
  const others = new Map(after.signatures.map((each) => [each.name, each]))
  const type = language === 'rust' ? implementedType(before.code.findLast(isImpl) ?? section) : null
  for (const one of before.signatures) {
    const other = others.get(one.name)
    const broken = other ? brokenCalls(one, other, language) : []
    if (broken.length === 0) continue
    changed.push({ name: one.name, is_top: one.is_top, type, broken })
  }
}

/** The lines of a call that are read. */
const CALL_LINES_MAX = 30

function countLine(names: FileNames, code: readonly string[], { at, by }: { at: number; by: number }): void {
  const { language } = names
  const line = code[at] as string
  const defined = definitionOn(line, language)?.name
  let text: string | undefined
  for (const use of usesOn(line, language)) {
    countUse(names, use, by)
    if (use.name === defined || !/^\s*[(:<?]/.test(line.slice(use.end))) continue
    text ??= code.slice(at, at + CALL_LINES_MAX).join('\n')
    for (const shape of shapesOfCall(text, use.end, language) ?? [])
      count(names.calls, `${use.form} ${use.qualifier ?? '-'} ${use.name} ${shape}`, by)
  }
}

function countUse(names: FileNames, { name, form, qualifier, is_code_like }: Use, by: number): void {
  count(names.words, name, by)
  if (form === 'bare') {
    count(names.bare, name, by)
    if (is_code_like) count(names.code_like, name, by)
  } else if (form === 'own') count(names.own, name, by)
  else if (form === 'of') count(names.of, `${qualifier} ${name}`, by)
}

function count(counts: Counts, name: string, by: number): void {
  counts.set(name, (counts.get(name) ?? 0) + by)
}

/** Begins the lines that are in the `impl` of a type. */
const IMPL = /^\s*(?:unsafe\s+)?impl\b/

function isImpl(line: string): boolean {
  return IMPL.test(line)
}
