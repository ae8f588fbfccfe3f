/** What Deconflict knows of a coding agent. Each agent is described in one file of this folder, and `agents.ts` lists them. */

export const HOOK_EVENTS = [
  'session-start',
  'prompt',
  'before-edit',
  'after-edit',
  'after-read',
  'stop',
  'subagent-end',
  'session-end',
] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]

export type Json = Record<string, unknown>

export interface Agent {
  /** The value of `--agent`, and of `agent` in the activities of its sessions. */
  name: string
  /** What `init` writes so that the agent runs hooks. Undefined: it runs those of another agent. */
  hooks?: HookFile | Plugin
  /**
   * Whether it wrote `json` to a hook that is installed for the agent `given`: several agents run each other's hooks. At most
   * one agent recognizes a JSON; if none does, it is `given`.
   */
  recognizes?(json: Json, given: string): boolean
  /** The events whose output reaches the model. */
  heard: readonly HookEvent[]
  /** What a hook prints so that the model reads `message`. `agent_event`: the agent's own name of the event. */
  answer(message: string, event: HookEvent, agent_event: string | undefined): Json
  /** What a person has to do before the agent runs the hooks, for the end of `init`. */
  trust_step?: string
  /** Whether the agent runs the hooks, for `doctor`. Undefined: unknown, because the agent is not used on this machine. */
  checkTrust?(machine: Machine): Promise<TrustFinding | undefined>
  mcp?: JsonServer | TomlServer
  /** A file of instructions that the agent reads instead of AGENTS.md, and in which `@AGENTS.md` includes that. */
  instructions?: string
  /** A variable that is set in the environment of the commands that the agent runs. */
  variable?: string
}

/** Where `init` installs the hooks of an agent. `part`: the name in `init --only`; `path`: relative to the working tree. */
interface Installation {
  part: string
  path: string
  programs: readonly string[]
  /** Where the user's own hooks of all repositories are: the folder of the agent's configuration, and the file in it. */
  user(home: Home): [folder: string, file: string]
}

export interface Home {
  env: Record<string, string | undefined>
  home: string
}

/** A JSON file with commands as hooks, which can also contain settings and hooks of others. */
export interface HookFile extends Installation {
  /** What a new file starts from. */
  template?: Json
  /** The agent's name of each event → the entries to add. */
  entries(lines: HookLines): Record<string, Json[]>
}

/** The command line of the hook of an event, for a shell. */
export interface HookLines {
  posix(event: HookEvent): string
  cmd(event: HookEvent): string
  powershell(event: HookEvent): string
  /** For a file that names one line. It runs in a POSIX shell; with `init --windows`, cmd and PowerShell do nothing. */
  any(event: HookEvent): string
}

/** A module that runs the hooks, for an agent that runs no commands. */
export interface Plugin extends Installation {
  /** How a plugin of any release starts. */
  start: string
  /** `options`: what follows `deconflict hook EVENT`. */
  source(options: readonly string[]): string
}

/** Where `deconflict mcp` is configured in a JSON file. */
export interface JsonServer {
  path: string
  /** The field whose object holds the servers by name. */
  key: string
  entry: Json
  /** What a new file starts from. */
  template?: Json
}

/** Where `deconflict mcp` is configured in a TOML file: a table, its header first. */
export interface TomlServer {
  path: string
  table: readonly string[]
}

/** What a check of trust can read. */
export interface Machine extends Home {
  /** The top directory of the working tree, with symbolic links resolved. */
  folder: string
  /** The paths under which the agent may know its hook file: in this working tree, and in the main one. */
  hook_files: readonly string[]
  /** The content of the hook file. */
  hooks: string
  /** The content of a file; undefined if it cannot be read. */
  read(file: string): Promise<string | undefined>
}

export interface TrustFinding {
  is_ok: boolean
  /** What was found and, for a problem, what to do. */
  message: string
}
