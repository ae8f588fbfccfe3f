/** Which folders agents trust that store it as Gemini CLI does, and which hooks Codex, with hashes that Codex 0.169.0 listed for this file. */
import { describe, expect, test } from 'vitest'
import { codexTrust } from '../../src/cli/agents/codex.ts'
import { isTrustedFolder } from '../../src/cli/agents/folder-trust.ts'
import { QWEN_CODE } from '../../src/cli/agents/qwen-code.ts'

test.each([
  ['a folder', { '/home/ada/shop': 'TRUST_FOLDER' }, true],
  ['a folder above', { '/home/ada': 'TRUST_FOLDER' }, true],
  ['the parent of a folder beside', { '/home/ada/other': 'TRUST_PARENT' }, true],
  ['a folder beside', { '/home/ada/shop-2': 'TRUST_FOLDER' }, false],
  ['a folder beneath', { '/home/ada/shop/src': 'TRUST_FOLDER' }, false],
  ['a folder above, but not this one', { '/home': 'TRUST_FOLDER', '/home/ada/shop': 'DO_NOT_TRUST' }, false],
  ['a folder, but not the one above', { '/home/ada/shop': 'TRUST_FOLDER', '/home': 'DO_NOT_TRUST' }, true],
  ['an unknown word', { '/home/ada/shop': 'MAYBE' }, false],
  ['no folder', {}, false],
])('a rule for %s decides whether a folder is trusted', (_, rules, expected) => {
  expect(isTrustedFolder(JSON.stringify(rules), '/home/ada/shop')).toBe(expected)
})

test('no folder is trusted if the file cannot be read', () => {
  for (const text of ['', 'null', '[', '7']) expect(isTrustedFolder(text, '/home')).toBe(false)
})

describe('of Qwen Code, doctor', () => {
  const ON = '{"security": {"folderTrust": {"enabled": true}}}'
  const check = (files: Record<string, string>, env: Record<string, string> = {}) =>
    QWEN_CODE.checkTrust?.({
      env,
      home: '/home/ada',
      folder: '/work/shop',
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

const FILE = '/tmp/trr/shop/.codex/hooks.json'
const hook = (event: string, timeout: number) => ({
  type: 'command',
  command: `command -v deconflict >/dev/null 2>&1 && deconflict hook ${event} --agent codex || true`,
  commandWindows: `where deconflict >nul 2>nul && deconflict hook ${event} --agent codex || exit /b 0`,
  timeout,
})
const START = { matcher: 'startup|resume|clear|compact', hooks: [hook('session-start', 10)] }
const END = { hooks: [hook('session-end', 3)] }
const text = JSON.stringify({ hooks: { SessionStart: [START], SessionEnd: [END] } })
const trusting = (place: string, hash: string) => `[hooks.state.${place}]\ntrusted_hash = "sha256:${hash}"\n`
const START_TRUSTED = trusting(
  `"${FILE}:session_start:0:0"`,
  '03f23ab5c7305de23ff1518158269ec4a0175e911a2820f5842e70a298104d26',
)
const END_TRUSTED = trusting(
  `'${FILE}:session_end:0:0'`,
  '4da4b5904544da63a84136799643c52968ae7ea51b78f2dc7b8aa84b1f16050f',
)

test.each([
  ['all', text, `model = "x"\n${START_TRUSTED}\n${END_TRUSTED}[features]\n`, { ours: 2, trusted: 2 }],
  ['one', text, START_TRUSTED, { ours: 2, trusted: 1 }],
  ['none', text, '', { ours: 2, trusted: 0 }],
  [
    'none that changed since',
    text.replaceAll('"timeout":10', '"timeout":9'),
    START_TRUSTED,
    { ours: 2, trusted: 0 },
  ],
  [
    'none at another place',
    JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'mine' }] }, START] } }),
    START_TRUSTED,
    { ours: 1, trusted: 0 },
  ],
])('Codex trusts hooks: %s', (_, content, config, expected) => {
  expect(codexTrust({ hooks: content, hook_files: ['/elsewhere', FILE], config })).toEqual(expected)
})
