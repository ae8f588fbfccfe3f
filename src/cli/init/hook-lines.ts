/** The command lines of hooks. Without `deconflict` on the machine, each does nothing. Pure. */
import type { HookLines } from '../agents/agent.ts'

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
