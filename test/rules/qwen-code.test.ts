/** Qwen Code: what it was seen to write to its hooks, what `init` writes for it, and whether it trusts a folder. */
import { describe, expect, test } from 'vitest'
import { QWEN_CODE } from '../../src/cli/agents/qwen-code.ts'
import { readHookInput } from '../../src/cli/hook/payload.ts'

const CWD = '/work/shop'
const COMMON = { session_id: 's9', transcript_path: '/home/ada/.qwen/s9.jsonl', cwd: CWD, timestamp: 'now' }
const input = (event: Parameters<typeof readHookInput>[0], json: object) =>
  readHookInput(event, QWEN_CODE, JSON.stringify({ ...COMMON, ...json }))

describe('a hook of Qwen Code', () => {
  test('reads the session', () => {
    const json = { hook_event_name: 'SessionStart', source: 'resume' }
    expect(input('session-start', json)).toMatchObject({
      agent: QWEN_CODE,
      session: 's9',
      cwd: CWD,
      reason: 'resume',
    })
  })

  test.each([
    ['read_file', { file_path: 'a.ts' }, { reads: ['a.ts'], edits: [] }],
    ['edit', { file_path: 'a.ts', old_string: '1', new_string: '2' }, { edits: ['a.ts'], reads: [] }],
    ['write_file', { file_path: 'a.ts', content: '1' }, { edits: ['a.ts'], reads: [] }],
    ['run_shell_command', { command: 'cat a.ts' }, { words: ['cat', 'a.ts'], edits: [], reads: [] }],
  ])('reads the files of %s', (tool_name, tool_input, files) => {
    expect(input('after-read', { hook_event_name: 'PostToolUse', tool_name, tool_input })).toMatchObject(
      files,
    )
  })

  test('answers with its name of the event', () => {
    expect(QWEN_CODE.answer('x', 'after-read', 'PostToolUse')).toEqual({
      hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'x' },
    })
  })
})

describe('doctor', () => {
  const ON = '{"security": {"folderTrust": {"enabled": true}}}'
  const check = (files: Record<string, string>, env: Record<string, string> = {}) =>
    QWEN_CODE.checkTrust?.({
      env,
      home: '/home/ada',
      folder: CWD,
      hook_files: [],
      hooks: '',
      read: async (file) => files[file],
    })

  test.each([
    ['is not used', {}],
    ['asks for no trust', { '/home/ada/.qwen/settings.json': '{}' }],
  ])('says nothing of trust where Qwen Code %s', async (_, files) => {
    expect(await check(files)).toBeUndefined()
  })

  test('finds a folder that Qwen Code does not trust', async () => {
    expect(await check({ '/home/ada/.qwen/settings.json': ON })).toEqual({
      is_ok: false,
      message: 'Qwen Code does not trust this folder and runs no hook in it; run /permissions in Qwen Code',
    })
  })

  test('finds a folder that Qwen Code trusts, in the directory that QWEN_HOME names', async () => {
    const files = {
      '/etc/qwen/settings.json': ON,
      '/etc/qwen/trustedFolders.json': '{"/work": "TRUST_FOLDER"}',
    }
    expect(await check(files, { QWEN_HOME: '/etc/qwen' })).toMatchObject({ is_ok: true })
  })
})
