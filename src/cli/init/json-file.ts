/** JSON files that `deconflict init` changes in place: what it does not change keeps its bytes. Pure. */
import { applyEdits, findNodeAtLocation, type JSONPath, modify, parseTree } from 'jsonc-parser'
import { parsedJson } from '../../vocabulary/text.ts'
import type { Json } from '../agents/agent.ts'
import { CliError } from '../runtime.ts'

export interface JsonEdit {
  path: JSONPath
  /** Undefined: removed. */
  value: unknown
  /** At the end of the array that `path` names. */
  is_added?: boolean
}

export function printJson(file: object): string {
  return `${JSON.stringify(file, null, 2)}\n`
}

/** The object in `text`. Throws `CliError` if it is none. */
export function parseJson(text: string): Json {
  const file = parsedJson(text)
  if (typeof file === 'object' && file !== null && !Array.isArray(file)) return file
  throw new CliError('was skipped: it is not a JSON object, or contains comments')
}

/** The rest of the text keeps its bytes. */
export function editJson(text: string, { path, value, is_added = false }: JsonEdit): string {
  if (value === undefined) return applyEdits(text, modify(text, path, undefined, {}))
  // What is missing on the way is a part of the value, so that one place of the text changes.
  const root = parseTree(text)
  const missing = path.findIndex((_, at) => root && !findNodeAtLocation(root, path.slice(0, at + 1)))
  if (missing !== -1 && missing < path.length - 1) {
    const nested = path.slice(missing + 1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
    return editJson(text, { path: path.slice(0, missing + 1), value: nested })
  }
  const at = is_added ? [...path, -1] : path
  const [edit] = modify(text, at, PLACE, { isArrayInsertion: is_added })
  if (edit === undefined) return text
  const { eol, indent } = formOf(text)
  const line = (depth: number) => `${eol}${indent.repeat(depth)}`
  const printed = JSON.stringify(value, null, indent).replaceAll('\n', line(at.length))
  const [, comma = '', key = ''] = /^(,?)("(?:[^"\\]|\\.)*":\s*)?"@"$/.exec(edit.content) ?? []
  const isFirst = edit.length === 0 && comma === ''
  const before = edit.length === 0 ? line(at.length) : ''
  const content = `${comma}${before}${key && `${key.trim()} `}${printed}${isFirst ? line(at.length - 1) : ''}`
  return applyEdits(text, [{ ...edit, content }])
}

const PLACE = '@'

function formOf(text: string): { eol: string; indent: string } {
  const [, eol = '\n', indent = '  '] = /^[{[](\r?\n)([ \t]+)/.exec(text) ?? []
  return { eol, indent }
}
