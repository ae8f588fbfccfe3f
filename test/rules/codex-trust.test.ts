/** Which hooks Codex trusts, with hashes that Codex 0.169.0 listed for this file. */
import { expect, test } from 'vitest'
import { codexTrust } from '../../src/cli/agents/codex.ts'

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
