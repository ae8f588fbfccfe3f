/** The MCP configuration of coding agents: an entry for `deconflict mcp` in the file that each reads. Pure. */
import { join } from 'node:path'
import { z } from 'zod'
import { CliError } from '../runtime.ts'
import { printJson } from './json-file.ts'
import { type Section, withoutSection, withSection } from './section.ts'
import type { Target } from './target.ts'

type Json = Record<string, unknown>

const NAME = 'deconflict'
const STDIO = { command: NAME, args: ['mcp'] }

/** `key`: the field whose object holds the servers by name. `template`: the content of a new file. */
interface JsonFile {
  path: string
  key: string
  entry: Json
  template?: Json
}

const FILES: JsonFile[] = [
  // Claude Code and Copilot CLI.
  { path: '.mcp.json', key: 'mcpServers', entry: STDIO },
  { path: '.cursor/mcp.json', key: 'mcpServers', entry: STDIO },
  { path: '.gemini/settings.json', key: 'mcpServers', entry: STDIO },
  { path: '.vscode/mcp.json', key: 'servers', entry: { type: 'stdio', ...STDIO } },
  {
    path: 'opencode.json',
    key: 'mcp',
    entry: { type: 'local', command: [NAME, 'mcp'], enabled: true },
    template: { $schema: 'https://opencode.ai/config.json' },
  },
]

/** Codex passes only the named variables on. */
const CODEX_SECTION: Section = {
  begin: '# >>> deconflict >>>',
  end: '# <<< deconflict <<<',
  lines: [
    `[mcp_servers.${NAME}]`,
    `command = "${NAME}"`,
    'args = ["mcp"]',
    'env_vars = ["DECONFLICT_URL", "DECONFLICT_INSECURE", "GITHUB_TOKEN", "GH_TOKEN"]',
  ],
}

export function mcpTargets(root: string): Target[] {
  return [...FILES.map((file) => jsonTarget(root, file)), codexTarget(join(root, '.codex/config.toml'))]
}

function codexTarget(path: string): Target {
  return {
    path,
    about: () => 'the MCP server',
    add: (text = '') =>
      /^\s*\[mcp_servers\.deconflict\]/m.test(withoutSection(text, CODEX_SECTION))
        ? text
        : withSection(text, CODEX_SECTION),
    remove: (text) => withoutSection(text, CODEX_SECTION) || undefined,
  }
}

function jsonTarget(root: string, { path, key, entry, template = {} }: JsonFile): Target {
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
