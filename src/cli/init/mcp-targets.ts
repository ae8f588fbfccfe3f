/** The MCP configuration of coding agents: an entry for `deconflict mcp` in the file that each reads. Pure. */
import { join } from 'node:path'
import { parse } from 'smol-toml'
import type { Json, JsonServer, TomlServer } from '../agents/agent.ts'
import { AGENTS } from '../agents/agents.ts'
import { CliError } from '../runtime.ts'
import type { Target } from './agent-hooks.ts'
import { editJson, parseJson, printJson } from './json-file.ts'
import { withoutSection, withSection } from './sections.ts'

const NAME = 'deconflict'

export function mcpTargets(root: string): Target[] {
  return AGENTS.flatMap(({ mcp }) => {
    if (mcp === undefined) return []
    return 'table' in mcp ? tomlTarget(root, mcp) : jsonTarget(root, mcp)
  })
}

function tomlTarget(root: string, { path, table }: TomlServer): Target {
  const section = { begin: '# >>> deconflict >>>', end: '# <<< deconflict <<<', lines: [...table] }
  return {
    path: join(root, path),
    about: 'the MCP server',
    // A server that a person configured stays, in whichever form.
    add: (text = '') => {
      if (NAME in serversOf(parseToml(withoutSection(text, section)), TOML_KEY)) return text
      const next = withSection(text, section)
      parseToml(next)
      return next
    },
    remove: (text) => withoutSection(text, section) || undefined,
  }
}

const TOML_KEY = 'mcp_servers'

function parseToml(text: string): Json {
  try {
    return parse(text)
  } catch {
    throw new CliError('was skipped: it is not TOML, or a table could not be added to it')
  }
}

function jsonTarget(root: string, { path, key, entry, template = {} }: JsonServer): Target {
  return {
    path: join(root, path),
    about: 'the MCP server',
    // An entry that a person changed stays.
    add: (text) => {
      if (text === undefined) return printJson({ ...template, [key]: { [NAME]: entry } })
      if (NAME in serversOf(parseJson(text), key)) return text
      return editJson(text, { path: [key, NAME], value: entry })
    },
    remove: (text) => {
      const servers = serversOf(parseJson(text), key)
      if (JSON.stringify(servers[NAME]) !== JSON.stringify(entry)) return text
      const isOnly = Object.keys(servers).length === 1
      const rest = editJson(text, { path: isOnly ? [key] : [key, NAME], value: undefined })
      return JSON.stringify(parseJson(rest)) === JSON.stringify(template) ? undefined : rest
    },
  }
}

function serversOf(file: Json, key: string): Json {
  return Object(file[key])
}
