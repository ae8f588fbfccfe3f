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

interface Case {
  name: string
  event: HookEvent
  /** Of the command line. */
  given: string
  json: object
  read: object
}

const CASES: Case[] = [
  {
    name: 'Claude Code before an edit',
    event: 'before-edit',
    given: 'claude-code',
    json: {
      ...CLAUDE,
      hook_event_name: 'PreToolUse',
      tool_name: 'Edit',
      tool_input: { file_path: `${CWD}/src/a.ts`, old_string: 'a', new_string: 'b' },
    },
    read: { agent: 'claude-code', session: 's1', cwd: CWD, edits: [`${CWD}/src/a.ts`], reads: [] },
  },
  {
    name: 'Claude Code editing a notebook in a subagent',
    event: 'before-edit',
    given: 'claude-code',
    json: {
      ...CLAUDE,
      agent_id: 'a7',
      hook_event_name: 'PreToolUse',
      tool_name: 'NotebookEdit',
      tool_input: { notebook_path: 'n.ipynb', new_source: 'x' },
    },
    read: { edits: ['n.ipynb'], subagent: 'a7' },
  },
  {
    name: 'Claude Code after a read',
    event: 'after-read',
    given: 'claude-code',
    json: {
      ...CLAUDE,
      hook_event_name: 'PostToolUse',
      tool_name: 'Read',
      tool_input: { file_path: `${CWD}/src/a.ts` },
      tool_response: { file: { filePath: `${CWD}/src/a.ts`, content: '*** Begin Patch' } },
    },
    read: { edits: [], reads: [`${CWD}/src/a.ts`], agent_event: 'PostToolUse' },
  },
  {
    name: 'Claude Code with a prompt',
    event: 'prompt',
    given: 'claude-code',
    json: {
      ...CLAUDE,
      hook_event_name: 'UserPromptSubmit',
      prompt: 'Fix @src/a.ts, `lib/b.ts:12` and README.md.',
    },
    read: { words: ['src/a.ts', 'lib/b.ts', 'README.md'], edits: [], reads: [] },
  },
  {
    name: 'Claude Code after /clear',
    event: 'session-end',
    given: 'claude-code',
    json: { ...CLAUDE, hook_event_name: 'SessionEnd', reason: 'clear' },
    read: { reason: 'clear' },
  },
  {
    name: 'Codex with a patch',
    event: 'before-edit',
    given: 'codex',
    json: {
      ...CODEX,
      hook_event_name: 'PreToolUse',
      tool_name: 'apply_patch',
      tool_input: { command: PATCH },
    },
    read: { agent: 'codex', session: 's2', edits: ['src/a.ts', 'b.ts', 'c.ts'] },
  },
  {
    name: 'Codex with a patch in a shell command',
    event: 'after-read',
    given: 'codex',
    json: { ...CODEX, tool_name: 'exec_command', tool_input: { cmd: `apply_patch <<'EOF'\n${PATCH}\nEOF` } },
    read: { edits: ['src/a.ts', 'b.ts', 'c.ts'], words: [] },
  },
  {
    name: 'Codex reading through its shell',
    event: 'after-read',
    given: 'codex',
    json: {
      ...CODEX,
      tool_name: 'Bash',
      tool_input: { command: ['bash', '-lc', 'cat src/a.ts|head; sed -n 1,9p "my file.ts"'], workdir: 'lib' },
    },
    read: {
      words: expect.arrayContaining(['cat', 'src/a.ts', 'head', 'my file.ts']),
      shell_cwd: 'lib',
      edits: [],
    },
  },
  {
    name: 'Copilot CLI in its own form',
    event: 'after-read',
    given: 'copilot',
    json: { ...COPILOT, toolName: 'view', toolArgs: { path: `${CWD}/a.ts` } },
    read: { agent: 'copilot', session: 's4', reads: [`${CWD}/a.ts`], edits: [] },
  },
  {
    name: 'Copilot CLI, whose hook after a read runs for every tool',
    event: 'after-read',
    given: 'copilot',
    json: { ...COPILOT, toolName: 'edit', toolArgs: '{"path": "a.ts", "old_str": "a"}' },
    read: { reads: [], edits: ['a.ts'] },
  },
  {
    name: 'Copilot CLI running the hooks of Claude Code',
    event: 'before-edit',
    given: 'claude-code',
    json: {
      hook_event_name: 'PreToolUse',
      session_id: 's4',
      cwd: CWD,
      tool_name: 'Edit',
      tool_input: { path: 'a.ts' },
    },
    read: { agent: 'copilot', session: 's4', edits: ['a.ts'] },
  },
  {
    name: 'VS Code running the hooks of Claude Code',
    event: 'before-edit',
    given: 'claude-code',
    json: {
      ...VSCODE,
      hookEventName: 'PreToolUse',
      tool_name: 'replace_string_in_file',
      tool_input: { filePath: 'a.ts' },
    },
    read: { agent: 'vscode', session: 's5', edits: ['a.ts'], agent_event: 'PreToolUse' },
  },
  {
    name: 'VS Code with several files',
    event: 'after-read',
    given: 'copilot',
    json: {
      ...VSCODE,
      hookEventName: 'PostToolUse',
      tool_name: 'editFiles',
      tool_input: { files: ['a.ts', { path: 'b.ts' }] },
    },
    read: { agent: 'vscode', edits: ['a.ts', 'b.ts'] },
  },
  {
    name: 'Cursor after an edit',
    event: 'after-edit',
    given: 'cursor',
    json: { ...CURSOR, hook_event_name: 'afterFileEdit', file_path: 'a.ts', edits: [{ old_string: 'a' }] },
    read: { agent: 'cursor', session: 's6', cwd: CWD, edits: ['a.ts'] },
  },
  {
    name: 'Cursor running the hooks of Claude Code',
    event: 'before-edit',
    given: 'claude-code',
    json: { ...CURSOR, session_id: 's6', tool_name: 'Write', tool_input: { file_path: 'a.ts' } },
    read: { agent: 'cursor', session: 's6', edits: ['a.ts'] },
  },
  {
    name: 'Gemini CLI after a read',
    event: 'after-read',
    given: 'gemini',
    json: {
      ...GEMINI,
      hook_event_name: 'AfterTool',
      tool_name: 'read_file',
      tool_input: { absolute_path: '/work/shop/a.ts' },
    },
    read: { agent: 'gemini', session: 's3', reads: ['/work/shop/a.ts'], agent_event: 'AfterTool' },
  },
  {
    name: 'the plugin of OpenCode after a patch',
    event: 'after-edit',
    given: 'opencode',
    json: { session_id: 's8', cwd: CWD, tool_name: 'patch', tool_input: { patchText: PATCH } },
    read: { agent: 'opencode', session: 's8', edits: ['src/a.ts', 'b.ts', 'c.ts'] },
  },
  {
    name: 'a tool that names a directory',
    event: 'after-read',
    given: 'copilot',
    json: { ...COPILOT, toolName: 'grep', toolArgs: { path: 'src', pattern: 'x' } },
    read: { reads: [], edits: [], words: [] },
  },
  {
    name: 'an agent that names no session',
    event: 'session-start',
    given: 'codex',
    json: { cwd: CWD },
    read: { agent: 'codex', session: null },
  },
]

test.each(CASES)('a hook reads the input of $name', ({ event, given, json, read }) => {
  const { agent, ...found } = readHookInput(event, agentNamed(given), JSON.stringify(json))
  expect({ agent: agent.name, ...found }).toMatchObject(read)
})

test.each(CASES)('at most one agent recognizes the input of $name', ({ given, json }) => {
  const found = AGENTS.filter(({ recognizes }) => recognizes?.({ ...json }, given))
  expect(found.length).toBeLessThan(2)
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
  test.each<[string, string | undefined, HookEvent, object]>([
    [
      'claude-code',
      'PostToolUse',
      'after-read',
      { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'x' } },
    ],
    [
      'codex',
      undefined,
      'prompt',
      { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'x' } },
    ],
    [
      'gemini',
      'BeforeAgent',
      'prompt',
      { hookSpecificOutput: { hookEventName: 'BeforeAgent', additionalContext: 'x' } },
    ],
    ['copilot', undefined, 'prompt', { additionalContext: 'x' }],
    [
      'copilot',
      'UserPromptSubmit',
      'prompt',
      {
        additionalContext: 'x',
        hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'x' },
      },
    ],
    ['cursor', 'sessionStart', 'session-start', { additional_context: 'x' }],
    ['opencode', undefined, 'after-read', { additionalContext: 'x' }],
  ])('to %s (%s) after %s', (agent, agent_event, event, output) => {
    expect(agentNamed(agent).answer('x', event, agent_event)).toEqual(output)
  })

  test.each([
    ['claude-code', ['session-start', 'prompt', 'before-edit', 'after-edit', 'after-read']],
    ['codex', ['session-start', 'prompt', 'before-edit', 'after-edit', 'after-read']],
    ['copilot', ['session-start', 'prompt', 'before-edit', 'after-edit', 'after-read']],
    ['cursor', ['session-start', 'after-read']],
    ['gemini', ['session-start', 'prompt', 'after-edit', 'after-read']],
    ['opencode', ['session-start', 'prompt', 'after-edit', 'after-read']],
    ['vscode', ['session-start', 'prompt', 'before-edit', 'after-edit', 'after-read']],
  ])('of %s is heard only after events that the agent passes to its model', (agent, events) => {
    expect(agentNamed(agent).heard).toEqual(events)
  })
})
