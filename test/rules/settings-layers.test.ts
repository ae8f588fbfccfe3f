/** Which value holds: of the defaults, an organisation and a repository. */
import { describe, expect, test } from 'vitest'
import {
  layersOf,
  type OrganisationShare,
  settingsOf,
  shareOf,
  sourcesOf,
} from '../../src/engine/settings/layers.ts'
import { DEFAULT_SETTINGS, type FileSettings } from '../../src/vocabulary/contract/settings.ts'

const INCLUDED = (settings: FileSettings): OrganisationShare => ({ settings, is_included: true })

test('every key has a source', () => {
  const { comment, ...others } = DEFAULT_SETTINGS
  const keys = [...Object.keys(others), ...Object.keys(comment).map((key) => `comment.${key}`)]
  expect(Object.keys(sourcesOf([])).sort()).toEqual(keys.sort())
})

describe('the value of the repository holds, then that of the organisation', () => {
  test.each<[FileSettings, FileSettings, string, unknown, string]>([
    [{}, { check_run: true }, 'check_run', true, 'organisation'],
    [{ check_run: false }, { check_run: true }, 'check_run', false, 'repository'],
    [{ areas: {} }, { areas: { pay: ['src/**'] } }, 'areas', {}, 'repository'],
    [{ max_activity_ttl_ms: null }, { max_activity_ttl_ms: 5000 }, 'max_activity_ttl_ms', null, 'repository'],
    [{ comment: {} }, { comment: { budget: 0.1 } }, 'comment.budget', 0.1, 'organisation'],
    [{ comment: { mode: 'on' } }, { comment: { budget: 0.1 } }, 'comment.budget', 0.1, 'organisation'],
    [{ comment: { budget: 1 } }, { comment: { budget: 0.1 } }, 'comment.budget', 1, 'repository'],
    [{ comment: { mode: true } }, { comment: { mode: false } }, 'comment.mode', 'on', 'repository'],
    [{}, { comment: { mode: false } }, 'comment.mode', 'off', 'organisation'],
  ])('%j over %j: %s is %j', (repository, organisation, key, value, source) => {
    const layers = layersOf(repository, INCLUDED(organisation))
    const settings: Record<string, unknown> = settingsOf(layers)
    const [group, name] = key.split('.')
    const found = name ? (settings[group as string] as Record<string, unknown>)[name] : settings[key]
    expect(found).toEqual(value)
    expect(sourcesOf(layers)[key]).toBe(source)
  })
})

test.each<FileSettings>([{}, { comment: { mode: 'on' } }, { comment: { mode: 'off' } }])(
  'a repository that is left out is in shadow mode with %j',
  (repository) => {
    const layers = layersOf(repository, { settings: { comment: { budget: 0.1 } }, is_included: false })
    expect(settingsOf(layers).comment).toMatchObject({ mode: 'shadow', budget: 0.1 })
    expect(sourcesOf(layers)['comment.mode']).toBe('organisation')
  },
)

test.each([
  ['on', 'shadow'],
  ['off', 'off'],
] as const)('a first file that is invalid turns mode %s of the organisation into %s', (mode, expected) => {
  const layers = layersOf({}, INCLUDED({ comment: { mode } }), 'repository')
  expect(settingsOf(layers).comment.mode).toBe(expected)
})

describe('shop is', () => {
  test.each<[FileSettings['repositories'], boolean]>([
    [undefined, true],
    [{}, true],
    [{ include: [] }, false],
    [{ include: ['shop'] }, true],
    [{ include: ['Shop*'] }, true],
    [{ include: ['*'] }, true],
    [{ include: ['**'] }, true],
    [{ include: ['sho'] }, false],
    [{ include: ['{till,shop}'] }, true],
    [{ exclude: [] }, true],
    [{ exclude: ['s*'] }, false],
    [{ include: ['shop'], exclude: ['shop'] }, false],
    [{ include: ['till'], exclude: ['till'] }, false],
  ])('with %j included: %s', (repositories, is_included) => {
    const organisation = { check_run: true, ...(repositories && { repositories }) }
    expect(shareOf(organisation, 'shop')).toEqual({ settings: { check_run: true }, is_included })
  })
})
