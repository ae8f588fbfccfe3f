/** Which file an import names, as links that are the same on the side of the file and of the import. Pure. */
import type { Language } from './code-text.ts'

/** Longer dotted paths are matched by their last parts. */
const PARTS_MAX = 8

/** The links by which an import can name the file. */
export function linksToFile(path: string, language: Language): string[] {
  switch (language) {
    case 'python': {
      const parts = pythonParts(path)
      const suffixes = parts.slice(-PARTS_MAX).map((_, at, all) => all.slice(at).join('.'))
      return [`/${parts.join('/')}`, ...suffixes]
    }
    case 'typescript':
      return [`/${withoutExtension(path)}`]
    case 'rust':
      return [...new Set([crateOf(path), rustStem(path)])]
  }
}

/** The links by which an import can name the file, but no other file of its crate. */
export function linksToModule(path: string, language: Language): string[] {
  return language === 'rust' ? [rustStem(path)] : linksToFile(path, language)
}

/** The links of an import of `module` in the file `path`. */
export function linksOfImport(module: string, path: string, language: Language): string[] {
  switch (language) {
    case 'python': {
      const [, dots = '', name = ''] = /^(\.*)(.*)$/.exec(module) ?? []
      if (dots === '') return [module]
      const above = path.split('/').slice(0, -dots.length)
      return [`/${[...above, ...name.split('.').filter(Boolean)].join('/')}`]
    }
    case 'typescript': {
      const resolved = module.startsWith('.') ? resolve(path, module) : null
      return resolved === null ? [] : [`/${withoutExtension(resolved)}`]
    }
    case 'rust':
      return [...new Set(module.split('::').map((name) => (name === 'crate' ? crateOf(path) : name)))]
  }
}

/** The name by which other Python code qualifies what the file defines. */
export function pythonStem(path: string): string | null {
  return pythonParts(path).at(-1) ?? null
}

function pythonParts(path: string): string[] {
  const parts = path.replace(/\.pyi?$/, '').split('/')
  return parts.at(-1) === '__init__' ? parts.slice(0, -1) : parts
}

function withoutExtension(path: string): string {
  return path.replace(/\.[cm]?[jt]sx?$/, '').replace(/(?:^|\/)index$/, '')
}

function resolve(path: string, module: string): string | null {
  const parts = path.split('/').slice(0, -1)
  for (const part of module.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null
    if (part !== '.' && part !== '..' && part !== '') parts.push(part)
  }
  return parts.join('/')
}

/** The crate of a file below `src`; `crate` for that of the root. */
function crateOf(path: string): string {
  const parts = path.split('/')
  const directory = parts[parts.lastIndexOf('src') - 1]
  return directory === undefined ? 'crate' : directory.replaceAll('-', '_')
}

function rustStem(path: string): string {
  const parts = path.replace(/\.rs$/, '').split('/')
  const stem = parts.at(-1) as string
  if (stem === 'lib' || stem === 'main') return crateOf(path)
  return stem === 'mod' ? (parts.at(-2) ?? stem) : stem
}
