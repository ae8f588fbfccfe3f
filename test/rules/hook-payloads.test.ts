/** What coding agents write to their hooks, as they were seen to write it or document it: who it is, and which files. */
import { describe, expect, test } from 'vitest'
import type { Agent, HookEvent } from '../../src/cli/agents/agent.ts'
import { AGENTS } from '../../src/cli/agents/agents.ts'
import { readHookInput } from '../../src/cli/hook/payload.ts'

const agentNamed = (name: string) => AGENTS.find((agent) => agent.name === name) as Agent

const CWD = '/work/shop'
const CLAUDE = { session_id: 's1', transcript_path: '/home/ada/.claude/s1.jsonl', cwd: CWD }
const CODEX = { session_id: 's2', transcript_path: null, cwd: CWD, model: 'gpt', turn_id: 't1' }
const GEMINI = { session_id: 's3', transcript_path: '/home/ada/.gemini/s3.json', cwd: CWD, timestamp: 'now' }
const COPILOT = { sessionId: 's4', cwd: CWD, timestamp: 1 }
const VSCODE = { sessionId: 's5', cwd: CWD, transcript_path: '/home/ada/s5', timestamp: 'now' }
const CURSOR = { conversation_id: 's6', cursor_version: '2.0', workspace_roots: [CWD], generation_id: 'g' }
const PATCH =
  '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** Add File: b.ts\n*** Delete File: c.ts\n*** End Patch'

/** What `deconflict hook` is called with, its input, and what is read of it. */
type Case = [name: string, command_line: string, json: object, read: object]

const used = (tool_name: string, tool_input: object) => ({ tool_name, tool_input })
const A = `${CWD}/src/a.ts`
const PATCHED = { edits: ['src/a.ts', 'b.ts', 'c.ts'] }

const CASES: Case[] = [
  [
    'Claude Code before an edit',
    'before-edit --agent claude-code',
    {
      ...CLAUDE,
      hook_event_name: 'PreToolUse',
      ...used('Edit', { file_path: A, old_string: 'a', new_string: 'b' }),
    },
    { agent: 'claude-code', session: 's1', cwd: CWD, edits: [A], reads: [] },
  ],
  [
    'Claude Code editing a notebook in a subagent',
    'before-edit --agent claude-code',
    {
      ...CLAUDE,
      agent_id: 'a7',
      hook_event_name: 'PreToolUse',
      ...used('NotebookEdit', { notebook_path: 'n.ipynb', new_source: 'x' }),
    },
    { edits: ['n.ipynb'], subagent: 'a7' },
  ],
  [
    'Claude Code after a read',
    'after-read --agent claude-code',
    {
      ...CLAUDE,
      hook_event_name: 'PostToolUse',
      ...used('Read', { file_path: A }),
      tool_response: { file: { filePath: A, content: '*** Begin Patch' } },
    },
    { edits: [], reads: [A], agent_event: 'PostToolUse' },
  ],
  [
    'Claude Code with a prompt',
    'prompt --agent claude-code',
    { ...CLAUDE, hook_event_name: 'UserPromptSubmit', prompt: 'Fix @src/a.ts, `lib/b.ts:12` and README.md.' },
    { words: ['src/a.ts', 'lib/b.ts', 'README.md'], edits: [], reads: [] },
  ],
  [
    'Codex with a patch',
    'before-edit --agent codex',
    { ...CODEX, hook_event_name: 'PreToolUse', ...used('apply_patch', { command: PATCH }) },
    { agent: 'codex', session: 's2', ...PATCHED },
  ],
  [
    'Codex with a patch in a shell command',
    'after-read --agent codex',
    { ...CODEX, ...used('exec_command', { cmd: `apply_patch <<'EOF'\n${PATCH}\nEOF` }) },
    { ...PATCHED, words: [] },
  ],
  [
    'Codex reading through its shell',
    'after-read --agent codex',
    {
      ...CODEX,
      ...used('Bash', {
        command: ['bash', '-lc', 'cat src/a.ts|head; sed -n 1,9p "my file.ts"'],
        workdir: 'lib',
      }),
    },
    { words: expect.arrayContaining(['cat', 'src/a.ts', 'head', 'my file.ts']), shell_cwd: 'lib', edits: [] },
  ],
  [
    'Copilot CLI in its own form',
    'after-read --agent copilot',
    { ...COPILOT, toolName: 'view', toolArgs: { path: `${CWD}/a.ts` } },
    { agent: 'copilot', session: 's4', reads: [`${CWD}/a.ts`], edits: [] },
  ],
  [
    'Copilot CLI, whose hook after a read runs for every tool',
    'after-read --agent copilot',
    { ...COPILOT, toolName: 'edit', toolArgs: '{"path": "a.ts", "old_str": "a"}' },
    { reads: [], edits: ['a.ts'] },
  ],
  [
    'Copilot CLI running the hooks of Claude Code',
    'before-edit --agent claude-code',
    { hook_event_name: 'PreToolUse', session_id: 's4', cwd: CWD, ...used('Edit', { path: 'a.ts' }) },
    { agent: 'copilot', session: 's4', edits: ['a.ts'] },
  ],
  [
    'VS Code running the hooks of Claude Code',
    'before-edit --agent claude-code',
    { ...VSCODE, hookEventName: 'PreToolUse', ...used('replace_string_in_file', { filePath: 'a.ts' }) },
    { agent: 'vscode', session: 's5', edits: ['a.ts'], agent_event: 'PreToolUse' },
  ],
  [
    'VS Code with several files',
    'after-read --agent copilot',
    { ...VSCODE, hookEventName: 'PostToolUse', ...used('editFiles', { files: ['a.ts', { path: 'b.ts' }] }) },
    { agent: 'vscode', edits: ['a.ts', 'b.ts'] },
  ],
  [
    'Cursor after an edit',
    'after-edit --agent cursor',
    { ...CURSOR, hook_event_name: 'afterFileEdit', file_path: 'a.ts', edits: [{ old_string: 'a' }] },
    { agent: 'cursor', session: 's6', cwd: CWD, edits: ['a.ts'] },
  ],
  [
    'Cursor running the hooks of Claude Code',
    'before-edit --agent claude-code',
    { ...CURSOR, session_id: 's6', ...used('Write', { file_path: 'a.ts' }) },
    { agent: 'cursor', session: 's6', edits: ['a.ts'] },
  ],
  [
    'Gemini CLI after a read',
    'after-read --agent gemini',
    { ...GEMINI, hook_event_name: 'AfterTool', ...used('read_file', { absolute_path: A }) },
    { agent: 'gemini', session: 's3', reads: [A], agent_event: 'AfterTool' },
  ],
  [
    'Qwen Code reading through its shell',
    'after-read --agent qwen-code',
    { session_id: 's7', cwd: CWD, ...used('run_shell_command', { command: 'cat a.ts' }) },
    { agent: 'qwen-code', session: 's7', words: ['cat', 'a.ts'], edits: [], reads: [] },
  ],
  [
    'the plugin of OpenCode after a patch',
    'after-edit --agent opencode',
    { session_id: 's8', cwd: CWD, ...used('patch', { patchText: PATCH }) },
    { agent: 'opencode', session: 's8', ...PATCHED },
  ],
  [
    'a tool that names a directory',
    'after-read --agent copilot',
    { ...COPILOT, toolName: 'grep', toolArgs: { path: 'src', pattern: 'x' } },
    { reads: [], edits: [], words: [] },
  ],
  [
    'an agent that names no session',
    'session-start --agent codex',
    { cwd: CWD },
    { agent: 'codex', session: null },
  ],
]

test.each(CASES)('a hook reads the input of %s', (_, command_line, json, read) => {
  const [event, given] = command_line.split(' --agent ') as [HookEvent, string]
  const { agent, ...found } = readHookInput(event, agentNamed(given), JSON.stringify(json))
  expect({ agent: agent.name, ...found }).toMatchObject(read)
  expect(AGENTS.filter(({ recognizes }) => recognizes?.({ ...json }, given)).length).toBeLessThan(2)
})

test.each(['', 'no json', '[]', 'null', '{"tool_input": 7, "session_id": {}, "cwd": 1, "tool_name": []}'])(
  'reads nothing from %j',
  (text) => {
    const empty = { session: null, cwd: undefined, edits: [], reads: [], words: [] }
    expect(readHookInput('before-edit', agentNamed('codex'), text)).toMatchObject(empty)
  },
)

describe('on Windows', () => {
  const ROOT = 'C:\\work\\shop'
  const ran = (command: string) => {
    const json = { ...CODEX, cwd: ROOT, tool_name: 'exec_command', tool_input: { command } }
    return readHookInput('after-read', agentNamed('codex'), JSON.stringify(json))
  }

  test('files keep their backslashes and drives', () => {
    const json = { ...CLAUDE, cwd: ROOT, tool_name: 'Edit', tool_input: { file_path: `${ROOT}\\src\\a.ts` } }
    const read = readHookInput('before-edit', agentNamed('claude-code'), JSON.stringify(json))
    expect(read).toMatchObject({ cwd: ROOT, edits: ['C:\\work\\shop\\src\\a.ts'] })
  })

  test.each([
    ['type src\\a.ts', ['type', 'src\\a.ts']],
    ['Get-Content "src\\my file.ts" -Raw', ['Get-Content', 'src\\my file.ts']],
    ['cmd /c type C:\\work\\shop\\a.ts', ['cmd', '/c', 'type', 'C:\\work\\shop\\a.ts']],
    ['type a.ts\r\ntype b.ts\r\n', ['type', 'a.ts', 'b.ts']],
  ])('the words of %j', (command, words) => {
    expect(ran(command).words).toEqual(words)
  })

  test('the files of a patch with CRLF', () => {
    expect(ran(PATCH.replaceAll('\n', '\r\n')).edits).toEqual(['src/a.ts', 'b.ts', 'c.ts'])
  })

  test.each([
    ['src\\a.ts:12', ['src\\a.ts']],
    ['@src\\a.ts, and C:\\work\\shop\\b.ts.', ['src\\a.ts', 'C:\\work\\shop\\b.ts']],
  ])('the files of the prompt %j', (prompt, words) => {
    const text = JSON.stringify({ ...CLAUDE, prompt })
    expect(readHookInput('prompt', agentNamed('claude-code'), text).words).toEqual(words)
  })

  test('JSON with a byte order mark and CRLF', () => {
    const text = `\ufeff${JSON.stringify({ ...CLAUDE, source: 'startup' })}\r\n`
    expect(readHookInput('session-start', agentNamed('claude-code'), text)).toMatchObject({
      session: 's1',
      reason: 'startup',
    })
  })
})

describe('the answer', () => {
  const forHook = (hookEventName: string) => ({
    hookSpecificOutput: { hookEventName, additionalContext: 'x' },
  })
  const context = { additionalContext: 'x' }
  test.each<[string, string | undefined, HookEvent, object]>([
    ['claude-code', 'PostToolUse', 'after-read', forHook('PostToolUse')],
    ['codex', undefined, 'prompt', forHook('UserPromptSubmit')],
    ['gemini', 'BeforeAgent', 'prompt', forHook('BeforeAgent')],
    ['copilot', undefined, 'prompt', context],
    ['copilot', 'UserPromptSubmit', 'prompt', { ...context, ...forHook('UserPromptSubmit') }],
    ['cursor', 'sessionStart', 'session-start', { additional_context: 'x' }],
    ['opencode', undefined, 'after-read', context],
  ])('to %s (%s) after %s', (agent, agent_event, event, output) => {
    expect(agentNamed(agent).answer('x', event, agent_event)).toEqual(output)
  })
})
