/** Which folders agents trust that store it as Gemini CLI does. */
import { expect, test } from 'vitest'
import { isTrustedFolder } from '../../src/cli/agents/folder-trust.ts'

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
