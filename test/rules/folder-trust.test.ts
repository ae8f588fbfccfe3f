/** Which folders agents trust that store it as Gemini CLI does. */
import { describe, expect, test } from 'vitest'
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
