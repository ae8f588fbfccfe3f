/** The hook files of agents have the forms that their agents read. An agent is described in one file: what runs, installs and checks hooks knows none by its name. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { HOOK_EVENTS } from '../../src/cli/agents/agent.ts'
import { AGENTS } from '../../src/cli/agents/agents.ts'
import { HOOKED_AGENTS, hookTarget } from '../../src/cli/init/agent-hooks.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { forTest } from '../support/use-started.ts'

/** What `init` writes for an agent where there is no file. */
function written(part: string, options = { without_titles: false, is_windows: true }): string {
  const agent = HOOKED_AGENTS.find(({ hooks }) => hooks.part === part)
  if (!agent) throw new Error(`no agent has the part ${part}`)
  return hookTarget(agent, { root: '/work/shop', ...options }).add(undefined) as string
}
const file = (part: string) => JSON.parse(written(part))
const first = (part: string, event: string) => {
  const [entry] = file(part).hooks[event] as [{ matcher?: string; hooks?: Record<string, unknown>[] }]
  return { matcher: entry.matcher, ...(entry.hooks ? entry.hooks[0] : entry) } as Record<string, unknown>
}
const PARTS = HOOKED_AGENTS.map(({ hooks }) => hooks.part).filter((part) => part !== 'opencode')

/** Bash reads its start files if its input is a socket. */
const SHELLS: [name: string, ...options: string[]][] = [['sh'], ['bash', '--norc']]

/** Every command line of a hook file, by the shell that runs it: that of the system if the file names one line only. */
function linesOf(part: string): { shell: 'any' | 'posix' | 'cmd' | 'powershell'; line: string }[] {
  const shells = { command: 'any', bash: 'posix', powershell: 'powershell', commandWindows: 'cmd' } as const
  const commands = Object.values<{ hooks?: object[] }[]>(file(part).hooks).flatMap((entries) =>
    entries.flatMap((entry): object[] => entry.hooks ?? [entry]),
  )
  return commands.flatMap((command) =>
    Object.entries(command).flatMap(([name, line]) => {
      const shell = shells[name as keyof typeof shells]
      const isPosix = shell === 'any' && 'commandWindows' in command
      return shell === undefined ? [] : [{ shell: isPosix ? 'posix' : shell, line: line as string }]
    }),
  )
}

describe.each(PARTS)('each line of the hooks of %s', (part) => {
  const inPosix = linesOf(part).filter(({ shell }) => shell === 'any' || shell === 'posix')

  test.each(SHELLS)('does nothing in %s without the command', async (shell, ...options) => {
    const env = { PATH: '/nowhere' }
    const run = ({ line }: { line: string }) =>
      promisify(execFile)(`/bin/${shell}`, [...options, '-c', line], { env })
    const silent = inPosix.map(() => ({ stdout: '', stderr: '' }))
    expect(await Promise.all(inPosix.map(run))).toEqual(silent)
  })

  test.each(SHELLS)('runs the command in %s with its input', async (shell, ...options) => {
    const directory = await forTest(temporaryDirectory('lines'))
    await writeFile(join(directory.path, 'deconflict'), '#!/bin/sh\necho "$@" && exec cat\n', { mode: 0o755 })
    const env = { PATH: `${directory.path}:${process.env.PATH}` }
    const run = ({ line }: { line: string }) => {
      const running = promisify(execFile)(`/bin/${shell}`, [...options, '-c', line], { env })
      running.child.stdin?.end('{}')
      return running
    }
    const stdout = expect.stringMatching(/^hook [a-z-]+ --agent [a-z-]+\n\{\}$/)
    expect(await Promise.all(inPosix.map(run))).toEqual(inPosix.map(() => ({ stdout, stderr: '' })))
  })

  test('is one assignment for cmd, if the file has no other line for Windows', () => {
    for (const { shell, line } of linesOf(part)) {
      if (shell !== 'any') continue
      expect(line.startsWith('set "')).toBe(true)
      const unquoted = line.slice(0, line.lastIndexOf('"')).replaceAll(/"[^"]*"/g, '')
      expect(unquoted).not.toMatch(/[&|<>^%]/)
      expect(line).not.toContain('%')
    }
  })

  test('is two harmless arguments of Set-Variable for PowerShell, if the file has no other line for it', () => {
    for (const { shell, line } of linesOf(part)) {
      if (shell !== 'any') continue
      const [, name, value, rest] = /^set "([^"$`]*)" \\'([^']*)'(.*)$/.exec(line) ?? []
      expect(name).toMatch(/^x=command -v deconflict /)
      expect(name).not.toContain(':')
      expect(value).toBe(`; eval "\${1#x=}" #`)
      expect(rest).toBe('')
    }
  })
})

test('the line of a file that names one is plain, unless Windows is asked for', () => {
  const plain = written('claude', { without_titles: false, is_windows: false })
  expect(plain).toContain('"command -v deconflict >/dev/null 2>&1 && deconflict hook stop')
  expect(plain).not.toContain('eval')
})

describe('the hook file', () => {
  test.each(PARTS)('of %s calls known events only, and does nothing without the command', (part) => {
    const commands = JSON.stringify(file(part).hooks).match(/deconflict hook [\w-]+/g) ?? []
    const known: readonly string[] = HOOK_EVENTS
    for (const command of commands) expect(known).toContain(command.split(' ')[2])
    expect(commands.length).toBeGreaterThan(3)
  })

  test('of Codex keeps the same command line between releases, because each change needs trust again', () => {
    expect(first('codex', 'UserPromptSubmit')).toEqual({
      matcher: undefined,
      type: 'command',
      command: 'command -v deconflict >/dev/null 2>&1 && deconflict hook prompt --agent codex || true',
      commandWindows: 'where deconflict >nul 2>nul && deconflict hook prompt --agent codex || exit /b 0',
      timeout: 10,
    })
    expect(first('codex', 'SessionStart').matcher).toBe('startup|resume|clear|compact')
    expect(first('codex', 'SessionEnd').timeout).toBe(3)
  })

  test('of Copilot runs on Windows too, and has no hook that could deny a tool call', () => {
    const { hooks, ...others } = file('copilot')
    expect(others).toEqual({ version: 1 })
    expect(hooks).not.toHaveProperty('preToolUse')
    expect(first('copilot', 'postToolUse')).toMatchObject({
      bash: expect.stringContaining('deconflict hook after-read --agent copilot'),
      powershell: expect.stringMatching(/^if \(Get-Command deconflict.*exit 0$/),
      timeoutSec: 10,
    })
  })
})

async function hooksOf(source: string) {
  const module = await import(`data:text/javascript,${encodeURIComponent(source)}`)
  return module.Deconflict({ directory: '/nowhere' })
}

test('the plugin of OpenCode is a module that offers its hooks', async () => {
  const source = written('opencode', { without_titles: true, is_windows: false })
  const hooks = await hooksOf(source)
  expect(Object.keys(hooks)).toEqual([
    'event',
    'chat.message',
    'tool.execute.before',
    'tool.execute.after',
    'dispose',
  ])
  expect(source).toContain("['--agent', 'opencode', '--no-titles']")
})

test('the plugin of OpenCode ends a session after the other hooks of the session have ended', async () => {
  const directory = await forTest(temporaryDirectory('plugin'))
  const log = join(directory.path, 'log')
  const slowHook = `#!/bin/sh
echo "$2 starts" >> '${log}'
cat > /dev/null
[ "$2" != stop ] || sleep 0.5
echo "$2 ends" >> '${log}'
`
  await writeFile(join(directory.path, 'deconflict'), slowHook, { mode: 0o755 })
  vi.stubEnv('PATH', `${directory.path}:${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const hooks = await hooksOf(written('opencode'))
  await hooks['chat.message']({ sessionID: 'one' }, { message: { id: 'msg' }, parts: [] })
  const stopped = hooks.event({ event: { type: 'session.idle', properties: { sessionID: 'one' } } })
  await Promise.all([stopped, hooks.dispose()])
  expect((await readFile(log, 'utf8')).split('\n').slice(2, -1)).toEqual([
    'stop starts',
    'stop ends',
    'session-end starts',
    'session-end ends',
  ])
})

const CLI = new URL('../../src/cli/', import.meta.url)
const SOURCES = ['hook', 'init', 'doctor'].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, CLI)).map((file) => `${folder}/${file}`),
)
/** `claude`, `codex`, …; not the pattern of branches in the settings file. */
const NAMES = new RegExp(
  `\\b(?:${AGENTS.map(({ name }) => name.split('-')[0]).join('|')}|vs code)\\b(?!/\\*)`,
  'i',
)

test.each(SOURCES)('src/cli/%s names no agent', (file) => {
  expect(readFileSync(new URL(file, CLI), 'utf8')).not.toMatch(NAMES)
})

test('each agent has a file of its own, with its name', () => {
  const files = readdirSync(new URL('agents/', CLI))
  expect(files).toEqual(expect.arrayContaining(AGENTS.map(({ name }) => `${name}.ts`)))
})
