/** The names that a pull request takes away or uses anew, as keyed hashes (docs/contract/proofs.md#names). Pure. */

import type { ChangeStatus } from '../../vocabulary/contract/scope-changes.ts'
import type { Steps } from '../base/event-loop.ts'
import { namesOf as pathsOf } from '../line-verdicts/change.ts'
import type { LineHasher } from '../line-verdicts/line-hash.ts'
import { PatchError } from '../line-verdicts/patch.ts'
import { type Language, languageOf, WORD } from './code-text.ts'
import { distinctness } from './definitions.ts'
import { type Counts, type FileNames, type RemovedDefinition, readFileNames } from './file-names.ts'
import { linksOfImport, linksToFile, linksToModule, pythonStem } from './modules.ts'

/** What happens to a name; see `NameKind`. */
export const NAME_KINDS = [
  'used',
  'import_removed',
  'symbol_removed',
  'signature_changed',
  'path_removed',
  'definition_changed',
] as const
export type NameKind = (typeof NAME_KINDS)[number]

/** A name together with the place that proves which name is meant. Two changes with one key are about the same name. */
export interface ChangedName {
  kind: NameKind
  /** A hash of 31 bits. */
  key: number
  /** The index of the file in the list of files. */
  position: number
}

/** The maximum number of names of a pull request. Further ones are left out. */
export const NAMES_MAX = 2_000

/** The maximum number of characters of all patches that are read. Files whose patches go beyond it have no names. */
const CHARACTERS_MAX = 4_000_000

export interface PatchedFile {
  path: string
  previous_path: string | null
  status: ChangeStatus
  patch: string | undefined
}

interface ReadFile extends FileNames {
  position: number
  status: ChangeStatus
  path: string
  /** The path on the base branch. */
  base_path: string
}

/** At most `NAMES_MAX` names: those that are taken away first. */
export function* changedNamesOf(files: readonly PatchedFile[], hash: LineHasher): Steps<ChangedName[]> {
  const read = yield* readFiles(files)
  const found = new Map<string, ChangedName>()
  for (const named of namesIn(read, files)) {
    yield
    if (named === undefined) continue
    if (found.size === NAMES_MAX) break
    const [kind, text, position] = named
    const key = hash(text, true).word >>> 1
    const id = `${kind} ${key}`
    if (!found.has(id)) found.set(id, { kind, key, position })
  }
  return [...found.values()]
}

/** Undefined after a step without a name. */
type Named = readonly [kind: NameKind, text: string, position: number] | undefined

function* namesIn(read: readonly ReadFile[], files: readonly PatchedFile[]): Generator<Named> {
  yield* removedNames(read, files)
  yield* usedNames(read)
}

function* readFiles(files: readonly PatchedFile[]): Steps<ReadFile[]> {
  const read: ReadFile[] = []
  let left = CHARACTERS_MAX
  for (const [position, { path, previous_path, status, patch }] of files.entries()) {
    yield
    const language = languageOf(path)
    if (language === null || patch === undefined || patch.length > left) continue
    left -= patch.length
    const base_path = pathsOf({ path, previous_path }).at(-1) as string
    try {
      read.push({ ...(yield* readFileNames(patch, language)), position, status, path, base_path })
    } catch (error) {
      if (!(error instanceof PatchError)) throw error
    }
  }
  return read
}

function* removedNames(read: readonly ReadFile[], files: readonly PatchedFile[]): Generator<Named> {
  for (const { no_longer_imported, status, base_path, position } of read)
    if (status !== 'removed')
      for (const name of no_longer_imported) yield ['import_removed', inFile(base_path, name), position]
  for (const file of read)
    for (const changed of file.changed)
      for (const link of linksToFunction(file, changed))
        for (const shape of changed.broken)
          yield ['signature_changed', `${file.language} ${link} ${changed.name} ${shape}`, file.position]
  yield* removedModules(files)
  for (const file of read) {
    const { language, position } = file
    for (const definition of file.redefined)
      for (const link of provingLinks(file, definition))
        yield ['definition_changed', `${language} ${link} ${definition.name}`, position]
  }
  const removed = read.flatMap((file) => file.removed.map((definition) => ({ file, definition })))
  if (removed.length === 0) return
  const kept = yield* addedWords(files)
  for (const { file, definition } of removed) {
    if (kept.has(definition.name)) continue
    for (const link of provingLinks(file, definition))
      yield ['symbol_removed', `${file.language} ${link} ${definition.name}`, file.position]
  }
}

/** The words of all added lines, also those of comments and of files in other languages. */
function* addedWords(files: readonly PatchedFile[]): Steps<Set<string>> {
  const words = new Set<string>()
  for (const { patch = '' } of files) {
    for (const [line] of patch.matchAll(/^\+.*$/gm)) for (const [word] of line.matchAll(WORD)) words.add(word)
    yield
  }
  return words
}

/** Those of the links to a definition that a name which says so much needs. */
function provingLinks(file: ReadFile, definition: RemovedDefinition): string[] {
  const distinct = distinctness(definition.name)
  if (distinct === null) return []
  const links = linksToDefinition(file, definition)
  return distinct === 'compound' ? links : links.filter((link) => link.startsWith('import '))
}

/** How other code can prove that it means this definition. */
function linksToDefinition({ base_path, language }: ReadFile, { is_top, type }: RemovedDefinition): string[] {
  const stem = is_top && language === 'python' ? pythonStem(base_path) : null
  return [
    ...linksToFile(base_path, language).map((link) => `import ${link}`),
    `${is_top ? 'bare' : 'own'} ${base_path}`,
    ...(stem === null ? [] : [`of ${stem}`]),
    ...(type === null ? [] : [`of ${type}`]),
  ]
}

function* removedModules(files: readonly PatchedFile[]): Generator<Named> {
  for (const [position, { path, previous_path, status }] of files.entries()) {
    const base_path = pathsOf({ path, previous_path }).at(-1) as string
    const language = status === 'removed' || status === 'renamed' ? languageOf(base_path) : null
    if (language !== null)
      for (const link of linksToModule(base_path, language))
        yield ['path_removed', `${language} module ${link}`, position]
  }
}

/** A call of Rust may also be qualified by its module. */
function linksToFunction(file: ReadFile, changed: RemovedDefinition): string[] {
  const { language, base_path } = file
  const isOfModule = language === 'rust' && changed.is_top
  return [
    ...linksToDefinition(file, changed),
    ...(isOfModule ? linksToFile(base_path, language).map((link) => `of ${link}`) : []),
  ]
}

function* usedNames(read: readonly ReadFile[]): Generator<Named> {
  const isUsedMore = yield* netUses(read)
  for (const file of read) {
    const { status, base_path, language, position, defined, imported } = file
    const isUsed = (name: string) => isUsedMore(language, name)
    for (const link of importedModules(file)) yield ['used', `${language} module ${link}`, position]
    for (const [text] of positive(file.imports)) {
      const [module, name] = text.split(' ') as [string, string]
      if (isUsed(name))
        for (const link of linksOfImport(module, file.path, language))
          yield ['used', `${language} import ${link} ${name}`, position]
    }
    for (const [text] of positive(file.of))
      if (isUsed(text.split(' ')[1] as string) && language !== 'typescript')
        yield ['used', `${language} of ${text}`, position]
    yield* linkedCalls(file)
    // The base branch has no names of a new file.
    if (status === 'added') continue
    const bound = new Set(imported.map((each) => each.bound))
    for (const [name] of positive(file.code_like))
      if (!defined.has(name) && !bound.has(name)) yield ['used', inFile(base_path, name), position]
    for (const [form, counts] of [['bare', file.bare] as const, ['own', file.own] as const])
      for (const [name] of positive(counts))
        if (isUsed(name) && distinctness(name) === 'compound')
          yield ['used', `${language} ${form} ${base_path} ${name}`, position]
  }
}

/** The links of the modules of which a file imports more than before. */
function importedModules({ imported, imports, language, path }: ReadFile): Set<string> {
  const added = imported.filter(
    ({ module, imported: name }) => name === null || (imports.get(`${module} ${name}`) ?? 0) > 0,
  )
  return new Set(
    added.flatMap(({ module, imported: name }) => {
      // Python and Rust may import a module from the one above it.
      const below = {
        python: `${module}${module.endsWith('.') ? '' : '.'}${name}`,
        rust: name ?? '',
        typescript: '',
      }
      const modules = name === null || language === 'typescript' ? [module] : [module, below[language]]
      return modules.flatMap((each) => linksOfImport(each, path, language))
    }),
  )
}

function* linkedCalls(file: ReadFile): Generator<Named> {
  const { language, position, status, path, base_path, defined, bindings } = file
  for (const [text] of positive(file.calls)) {
    const [form, qualifier, name, shape] = text.split(' ') as [string, string, string, string]
    const binding = form === 'bare' ? bindings.get(name) : undefined
    if (binding?.imported)
      for (const link of linksOfImport(binding.module, path, language))
        yield ['used', `${language} import ${link} ${binding.imported} ${shape}`, position]
    else if (form === 'of' && language !== 'typescript')
      yield ['used', `${language} of ${qualifier} ${name} ${shape}`, position]
    else if ((form === 'bare' || form === 'own') && status !== 'added' && !defined.has(name))
      yield ['used', `${language} ${form} ${base_path} ${name} ${shape}`, position]
  }
}

/** Whether all files of a language together use a name more often than before, and define none of that name. */
function* netUses(read: readonly ReadFile[]): Steps<(language: Language, name: string) => boolean> {
  const counts: Counts = new Map()
  const defined = new Set<string>()
  for (const file of read) {
    for (const name of file.defined) defined.add(`${file.language} ${name}`)
    for (const [name, by] of file.words) {
      const id = `${file.language} ${name}`
      counts.set(id, (counts.get(id) ?? 0) + by)
    }
    yield
  }
  return (language, name) => {
    const id = `${language} ${name}`
    return distinctness(name) !== null && !defined.has(id) && (counts.get(id) ?? 0) > 0
  }
}

function positive(counts: Counts): [string, number][] {
  return [...counts].filter(([, by]) => by > 0)
}

function inFile(path: string, name: string): string {
  return `in ${path} ${name}`
}
