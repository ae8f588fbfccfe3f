/** The MCP configuration of coding agents: an entry for `deconflict mcp` in the file that each reads. Pure. */
import { join } from 'node:path'
import { z } from 'zod'
import type { Json, JsonServer, TomlServer } from '../agents/agent.ts'
import { AGENTS } from '../agents/agents.ts'
import { CliError } from '../runtime.ts'
import { printJson } from './json-file.ts'
import { withoutSection, withSection } from './section.ts'
import type { Target } from './target.ts'

const NAME = 'deconflict'

export function mcpTargets(root: string): Target[] {
  return AGENTS.flatMap(({ mcp }) => {
    if (mcp === undefined) return []
    return 'table' in mcp ? tomlTarget(root, mcp) : jsonTarget(root, mcp)
  })
}

function tomlTarget(root: string, { path, table }: TomlServer): Target {
  const section = { begin: '# >>> deconflict >>>', end: '# <<< deconflict <<<', lines: [...table] }
  const isHeader = (line: string) => line.trimStart().startsWith(table[0] as string)
  return {
    path: join(root, path),
    about: () => 'the MCP server',
    // A table that a person wrote stays.
    add: (text = '') =>
      withoutSection(text, section).split('\n').some(isHeader) ? text : withSection(text, section),
    remove: (text) => withoutSection(text, section) || undefined,
  }
}

function jsonTarget(root: string, { path, key, entry, template = {} }: JsonServer): Target {
  return {
    path: join(root, path),
    about: () => 'the MCP server',
    // An entry that a person changed stays.
    add: (text) => {
      const file = text === undefined ? template : parse(text)
      const servers = Object(file[key])
      return text !== undefined && NAME in servers
        ? text
        : printJson({ ...file, [key]: { ...servers, [NAME]: entry } }, text)
    },
    remove: (text) => {
      const file = parse(text)
      const { [NAME]: ours, ...others } = Object(file[key])
      if (JSON.stringify(ours) !== JSON.stringify(entry)) return text
      const { [key]: _, ...rest } = file
      const remaining = Object.keys(others).length > 0 ? { ...file, [key]: others } : rest
      return JSON.stringify(remaining) === JSON.stringify(template) ? undefined : printJson(remaining, text)
    },
  }
}

const ServersFile = z.looseObject({})

function parse(text: string): Json {
  try {
    return ServersFile.parse(JSON.parse(text))
  } catch {
    throw new CliError('was skipped: it is not a JSON object, or contains comments')
  }
}
