/** The hooks in the settings files of coding agents, and their command lines. The files also contain settings and hooks of other tools. Pure. */
import { z } from 'zod'
import type { HookLines, Json } from '../agents/agent.ts'
import { CliError } from '../runtime.ts'
import { editJson, parseJson, printJson } from './json-file.ts'

/** Event → entries that run for it: commands, or groups of commands. */
export type Hooks = Record<string, Json[]>

const HookFile = z.looseObject({ hooks: z.record(z.string(), z.array(z.looseObject({}))).optional() })
const Group = z.looseObject({ hooks: z.array(z.looseObject({})) })

/** Replaces our earlier commands in `text` by `hooks`. Nothing else changes. A new file starts from `template`. */
export function withHooks(
  text: string | undefined,
  { hooks, template }: { hooks: Hooks; template: Json },
): string {
  if (text === undefined) return printJson({ ...template, hooks })
  if (linesIn(parse(text)).join('\n') === linesIn(hooks).join('\n')) return text
  let edited = withoutOurs(text)
  for (const [event, entries] of Object.entries(hooks))
    for (const entry of entries) {
      const exists = parse(edited)[event] !== undefined
      edited = editJson(
        edited,
        exists
          ? { path: ['hooks', event], value: entry, is_added: true }
          : { path: ['hooks', event], value: [entry] },
      )
    }
  return edited
}

/** `text` without our commands; undefined if only the template remains. */
export function withoutHooks(text: string, { template }: { template: Json }): string | undefined {
  const rest = withoutOurs(text)
  const isTemplate = rest !== text && JSON.stringify(parseJson(rest)) === JSON.stringify(template)
  return isTemplate ? undefined : rest
}

/** Removes our commands one by one. A group, an event or the hooks go with their last one. */
function withoutOurs(text: string): string {
  const hooks = parse(text)
  for (const [event, entries] of Object.entries(hooks))
    for (const [index, entry] of entries.entries()) {
      const group = Group.safeParse(entry).data?.hooks
      const place = group ? group.findIndex(isOurs) : isOurs(entry) ? 0 : -1
      if (place === -1) continue
      const path: (string | number)[] = ['hooks', event, index, 'hooks', place]
      const isOnly = [Object.keys(hooks).length === 1, entries.length === 1, (group?.length ?? 1) === 1]
      const depth = !isOnly[2] ? 5 : !isOnly[1] ? 3 : !isOnly[0] ? 2 : 1
      return withoutOurs(editJson(text, { path: path.slice(0, depth), value: undefined }))
    }
  return text
}

/** Our commands with their events, sorted. */
function linesIn(hooks: Hooks): string[] {
  const lines = Object.entries(hooks).flatMap(([event, entries]) =>
    entries
      .flatMap((entry) => Group.safeParse(entry).data?.hooks ?? [entry])
      .filter(isOurs)
      .map((command) => `${event} ${commandsOf(command).join(' ')}`),
  )
  return lines.sort()
}

function isOurs(command: Json): boolean {
  return commandsOf(command).some(isOurLine)
}

function commandsOf({ command, commandWindows, bash, powershell }: Json): string[] {
  return [command, commandWindows, bash, powershell].filter((line) => typeof line === 'string')
}

function parse(text: string): Hooks {
  const { data } = HookFile.safeParse(parseJson(text))
  if (data === undefined) throw new CliError('was skipped: its hooks are not in the form that is known')
  return data.hooks ?? {}
}

type Shell = keyof HookLines

const posix = (command: string) => `command -v deconflict >/dev/null 2>&1 && ${command} || true`

/** Agents ask for trust again after a change, so keep them the same. */
const LINES: Record<Shell, (command: string) => string> = {
  posix,
  cmd: (command) => `where deconflict >nul 2>nul && ${command} || exit /b 0`,
  powershell: (command) => `if (Get-Command deconflict -ErrorAction SilentlyContinue) { ${command} }; exit 0`,
  // A POSIX shell sets its first argument and runs it. For cmd, all of it sets one variable. PowerShell sets a variable to a
  // string that begins at \' and ends at the last quote, where a POSIX shell sees a comment.
  any: (command) => `set "x=${posix(command)}" \\'; eval "\${1#x=}" #'`,
}

export function hookLines(options: readonly string[]): HookLines {
  const lineOf = (shell: Shell) => (event: string) =>
    LINES[shell](['deconflict hook', event, ...options].join(' '))
  return { posix: lineOf('posix'), cmd: lineOf('cmd'), powershell: lineOf('powershell'), any: lineOf('any') }
}

const COMMAND = 'deconflict hook [a-z-]+ --agent [a-z-]+(?: --no-titles)?'
const OURS = Object.values(LINES).map((lineOf) => {
  const [before, after] = lineOf('\0').split('\0').map(escaped) as [string, string]
  return new RegExp(`^${before}${COMMAND}${after}$`)
})

/** Whether `init` wrote the line, for whichever agent and event. */
export function isOurLine(line: string): boolean {
  return OURS.some((expression) => expression.test(line))
}

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
}
