/** The remote and the person from the output of `git config -z`. */
import { describe, expect, test } from 'vitest'
import { readConfiguration } from '../../src/git/git.ts'

type Entry = [key: string, value: string]

const read = (entries: Entry[], branch?: string) =>
  readConfiguration(entries.map(([key, value]) => `${key}\n${value}\0`).join(''), branch)

const URL = 'git@github.com:acme/shop.git'
const FORK = 'git@github.com:ada/shop.git'
const ORIGIN = { name: 'origin', url: URL }

describe('the remote', () => {
  test.each<[string, string, object | undefined]>([
    ['none', '', undefined],
    ['the only one', 'remote.hub.url=URL', { name: 'hub', url: URL }],
    ['origin of several', 'remote.fork.url=FORK remote.origin.url=URL', ORIGIN],
    ['none of several without origin', 'remote.a.url=FORK remote.b.url=URL', undefined],
    [
      'that of the branch',
      'remote.fork.url=FORK remote.origin.url=URL branch.fix/a.b.remote=fork',
      { name: 'fork', url: FORK },
    ],
    ['origin if that is this repository', 'remote.origin.url=URL branch.fix/a.b.remote=.', ORIGIN],
    ['of which the first URL counts', 'remote.origin.url=URL remote.origin.url=FORK', ORIGIN],
    ['with dots in its name', 'remote.my.hub.url=URL', { name: 'my.hub', url: URL }],
  ])('%s', (_, given, remote) => {
    const entries = given
      .split(' ')
      .filter(Boolean)
      .map((each): Entry => {
        const [key = '', value = ''] = each.split('=')
        return [key, { URL, FORK }[value] ?? value]
      })
    expect(read(entries, 'fix/a.b').remote).toEqual(remote)
  })

  test.each<[string, Entry[], string]>([
    ['one rule', [['url.git@github.com:.insteadof', 'gh:']], URL],
    [
      'the longest prefix',
      [
        ['url.https://a.example/.insteadof', 'g'],
        ['url.git@github.com:.insteadof', 'gh:'],
      ],
      URL,
    ],
    ['a rule for other URLs', [['url.git@github.com:.insteadof', 'hub:']], 'gh:acme/shop.git'],
  ])('rewritten by insteadOf: %s', (_, rules, url) => {
    expect(read([...rules, ['remote.origin.url', 'gh:acme/shop.git']]).remote?.url).toBe(url)
  })
})

test('the person is the last user.name, as the repository overrides the user', () => {
  const entries: Entry[] = [
    ['user.name', 'Ada at home'],
    ['user.name', 'Ada\nLovelace'],
  ]
  expect(read(entries).person).toBe('Ada\nLovelace')
})

test('a key without a value, or no output, counts as missing', () => {
  expect(readConfiguration('user.name\0', 'work')).toEqual({ person: undefined, remote: undefined })
  expect(readConfiguration(undefined, 'work')).toEqual({ person: undefined, remote: undefined })
})
