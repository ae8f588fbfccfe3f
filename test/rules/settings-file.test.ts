/** The settings of a settings file, the errors of an invalid one, and files from any committer that would exhaust or end the service. */
import { describe, expect, test } from 'vitest'
import { readSettingsFile } from '../../src/engine/settings/settings-file.ts'
import { DEFAULT_SETTINGS } from '../../src/vocabulary/contract/settings.ts'

const NOTHING = { settings: {}, errors: [] }

describe('a settings file changes only the settings that it names', () => {
  test.each<[string, object]>([
    ['', {}],
    ['\n  \n', {}],
    ['# later\n', {}],
    ['check_run: true\n', { check_run: true }],
    ['\ufeffcheck_run: true\n', { check_run: true }],
    ['check_run: true\r\nactivity_ttl_ms: 5000\r\n', { check_run: true, activity_ttl_ms: 5000 }],
    ['{check_run: true, ignore_paths: [a]}', { check_run: true, ignore_paths: ['a'] }],
    ['comment: {min_severity: high}', { comment: { min_severity: 'high' } }],
    [
      'comment: {mode: off, min_severity: low, draft_min_severity: medium, on_bots: true}',
      { comment: { mode: 'off', min_severity: 'low', draft_min_severity: 'medium', on_bots: true } },
    ],
    ['max_activity_ttl_ms: null', { max_activity_ttl_ms: null }],
    ['activity_ttl_ms: 31536000000', { activity_ttl_ms: 31_536_000_000 }],
    ['areas:\n  Über 🦊: [src/ü/**]\n', { areas: { 'Über 🦊': ['src/ü/**'] } }],
    ['areas: {2024: [a], 1.0: [b]}', { areas: { '2024': ['a'], '1.0': ['b'] } }],
    [
      'noise_paths: {snapshot: [testdata/**]}\nnoise_classes: {changelog: false, lock: true}',
      { noise_paths: { snapshot: ['testdata/**'] }, noise_classes: { changelog: false, lock: true } },
    ],
    ['ignore_paths: [a, b, a]', { ignore_paths: ['a', 'b'] }],
    ['ignore_paths: &x [a]\nareas: {b: *x}\n', { ignore_paths: ['a'], areas: { b: ['a'] } }],
    ['ignore_paths: [!!str 1]', { ignore_paths: ['1'] }],
    ['areas: {constructor: [a], toString: [b]}', { areas: { constructor: ['a'], toString: ['b'] } }],
  ])('%s', (text, settings) => {
    expect(readSettingsFile(text)).toEqual({ settings, errors: [] })
  })

  test('every setting can be set', () => {
    const read = readSettingsFile(JSON.stringify(DEFAULT_SETTINGS))
    expect(read).toEqual({ settings: DEFAULT_SETTINGS, errors: [] })
  })
})

describe('an invalid settings file sets nothing, and each error has a line, a key and advice', () => {
  test.each<[string, number, string, RegExp]>([
    ['\nactivty_ttl_ms: 5\n', 2, 'activty_ttl_ms', /unknown key; did you mean activity_ttl_ms\?/],
    ['colour: red', 1, 'colour', /unknown key; known: activity_ttl_ms, .*check_run/],
    ['comment:\n\n  min_severty: low\n', 3, 'comment.min_severty', /did you mean min_severity\?/],
    ['comment:\n  constructor: 1', 2, 'comment.constructor', /known: mode, min_severity, draft_min_severity/],
    ['areas:\n  __proto__: [a]', 2, 'areas.__proto__', /is a reserved name; choose another one/],
    ['areas:\n  "": [a]', 2, 'areas.', /its name must have 1 to 100 characters/],
    ['# ä\nprüfung: true', 2, 'prüfung', /unknown key/],
    ['check_run: yes', 1, 'check_run', /must be a boolean, not a string/],
    ['# x\ncheck_run:\n\n# y\n', 2, 'check_run', /must be a boolean, not null/],
    ['areas:\n#  a: [b]\n', 1, 'areas', /must be an object, not null/],
    ['check_run: true\ncomment:\n  - on_bots\n', 2, 'comment', /must be an object, not an array/],
    ['activity_ttl_ms: 24h', 1, 'activity_ttl_ms', /must be a number, not a string/],
    ['activity_ttl_ms: 5000.5', 1, 'activity_ttl_ms', /must be a whole number$/],
    ['activity_ttl_ms: 999', 1, 'activity_ttl_ms', /at least 1000$/],
    ['activity_ttl_ms: 31536000001', 1, 'activity_ttl_ms', /at most 31536000000$/],
    ['comment: {min_severity: medum}', 1, 'comment.min_severity', /low, medium, high; did you mean medium\?/],
    ['disabled_categories:\n- release\n- securty\n', 3, 'disabled_categories[1]', /did you mean security\?/],
    ['disabled_categories: [release,\n  testing,\n  securty]', 3, 'disabled_categories[2]', /security/],
    ['check_run: true\r\ncomment:\r\n  on_bots: 1\r\n', 3, 'comment.on_bots', /a boolean/],
    ['areas:\n  checkout:\n    - src\n    - lib\n    - ../b\n', 5, 'areas.checkout[2]', /'\.\.'/],
    ["ignore_paths:\n- '!docs/**'\n", 2, 'ignore_paths[0]', /list the paths to include/],
    ['notify_url: http://hooks.example.com', 1, 'notify_url', /https: URL/],
    ['notify_url: https://127.0.0.1/x', 1, 'notify_url', /on the internet/],
    ['notify_url: https://db.internal/x', 1, 'notify_url', /on the internet/],
    ['notify_url: https://me:pw@hooks.example.com/x', 1, 'notify_url', /no user or password/],
    ['noise_classes:\n  locks: false\n', 2, 'noise_classes.locks', /did you mean lock\?/],
    ['noise_paths:\n  golden: [a]\n', 2, 'noise_paths.golden', /known: lock, vendored/],
    ['ignore_paths:\n- "[a"\n', 2, 'ignore_paths[0]', /./],
    ['ignore_paths: ["a\\0"]', 1, 'ignore_paths[0]', /NUL/],
    ['comment: {agents: ["\\uD800"]}', 1, 'comment.agents[0]', /surrogate/],
    ['number_directories:\n  "../x": true', 2, 'number_directories.../x', /must not contain '\.\.'/],
    ['areas:\n  api: [a]\n  API: [b]\n', 3, 'areas.API', /duplicates the area api/],
    [`ignore_paths:\n${'- a\n'.repeat(3001)}`, 1, 'ignore_paths', /at most 3000/],
    [
      'ignore_paths: &x\n- a\nareas:\n  b: *x\ncheck_run: &y no\ncomment:\n  on_bots: *y',
      7,
      'comment.on_bots',
      /boolean/,
    ],
    ['check_run: true\n\ncheck_run: true\n', 3, 'check_run', /appears twice in the same mapping; keep one/],
    ['ignore_paths:\n- a\n- b: 1\n  b: 2\n', 4, 'ignore_paths[1].b', /appears twice/],
    ['ignore_paths:\n- *nope\n', 2, 'ignore_paths[0]', /the alias \*nope has no anchor before it/],
    ['ignore_paths: *x\nareas:\n  a: &x [b]\n', 1, 'ignore_paths', /no anchor before it/],
  ])('%s', (text, line, key, message) => {
    const { settings, errors } = readSettingsFile(text)
    expect(settings).toBeNull()
    expect(errors.at(-1)).toEqual({ line, key, message: expect.stringMatching(message) })
    expect(errors.at(-1)?.message.startsWith(`${key}: `)).toBe(true)
  })

  test.each<[string, number | null, RegExp]>([
    ['areas:\n  a: [b\ncheck_run: true', 3, /./],
    ['comment:\n\ton_bots: true\n', 2, /tabs are not allowed/i],
    ['check_run: true\non_bots\n', 2, /./],
    ['ignore_paths:\n- "\\q"', 2, /escape/],
    ['check_run: true\n---\ncheck_run: false\n', 2, /one document; remove the line '---'/],
    ['check_run: true\nareas: !env x', 2, /!env; remove the tag/],
    ['areas: !!js/function "x"', 1, /remove the tag/],
    ['ignore_paths: [!!binary YQ==]', 1, /remove the tag/],
    ['? [a]\n: 1', 1, /a key must be a string/],
    ['\n- a', 2, /must be a mapping/],
    ['true', 1, /must be a mapping/],
    [`# ${'x'.repeat(65_536)}`, null, /longer than 65536/],
  ])('%s is reported with its line', (text, line, message) => {
    const { settings, errors } = readSettingsFile(text)
    expect(settings).toBeNull()
    expect(errors[0]).toEqual({ line, key: null, message: expect.stringMatching(message) })
    expect(errors[0]?.message).not.toContain('\n')
  })

  test('a file of the maximum length is read', () => {
    expect(readSettingsFile(`#${'x'.repeat(65_535)}`)).toEqual(NOTHING)
  })

  test('one error makes the whole file invalid', () => {
    expect(readSettingsFile('check_run: true\nnotable_ttl_ms: 1\n').settings).toBeNull()
  })

  test('a value is reported once, however many rules it breaks', () => {
    expect(readSettingsFile('activity_ttl_ms: 1e30').errors).toHaveLength(1)
  })

  test('all errors are reported in the order of the file', () => {
    const text = 'check_run: 1\ncomment:\n  on_bots: 2\n  color: red\nareas: {a: [..], b: [..]}\nfoo: 1\n'
    expect(readSettingsFile(text).errors.map(({ line, key }) => [line, key])).toEqual([
      [1, 'check_run'],
      [3, 'comment.on_bots'],
      [4, 'comment.color'],
      [5, 'areas.a[0]'],
      [5, 'areas.b[0]'],
      [6, 'foo'],
    ])
  })

  test.each([
    ['unknown keys', (at: number) => `k${at}: 1`],
    ['broken lines', () => '"'],
    ['tags', (at: number) => `k${at}: !x 1`],
  ])('at most twenty are reported: %s', (_, line) => {
    const { errors } = readSettingsFile(Array.from({ length: 60 }, (_, at) => line(at)).join('\n'))
    expect(errors).toHaveLength(20)
  })

  test('quoted content is truncated and has no invalid or invisible characters', () => {
    const { errors } = readSettingsFile(`areas: {${'x'.repeat(300)}: [a]}\n"a\\0b\\uD800c\\u202Ed\\e": 1\n`)
    const keys = [`areas.${'x'.repeat(100)}…`, 'a\ufffdb\ufffdc\ufffdd\ufffd']
    expect(errors.map(({ key }) => key)).toEqual(keys)
    expect(readSettingsFile(`areas: !${'x'.repeat(9000)} {}`).errors[0]?.message).toHaveLength(501)
    expect(errors.every(({ message }) => !/[\p{Cc}\p{Cs}\u202e]/u.test(message))).toBe(true)
  })
})

// Threat: A hostile settings file
describe('a hostile file is rejected and neither throws nor ends the process', () => {
  const nested = 'the file is nested deeper than 50 levels'
  test.each([
    ['open lists', '['.repeat(60_000)],
    ['closed lists', `areas: ${'['.repeat(30_000)}${']'.repeat(30_000)}`],
    ['mappings on one line', '{a: '.repeat(15_000)],
    ['lists of lists', '- '.repeat(30_000)],
    ['keys that are mappings', '? '.repeat(30_000)],
    ['one more indent per line', Array.from({ length: 300 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
  ])('%s', (_, text) => {
    expect(readSettingsFile(text)).toEqual({
      settings: null,
      errors: [{ line: null, key: null, message: nested }],
    })
  })

  test.each([
    ['aliases of aliases', chain(20, (at) => `[*a${at - 1},*a${at - 1}]`), /expand to too much data/],
    ['a list that contains itself', 'ignore_paths: &a [*a]', /expand to too much data/],
    ['a file that contains itself', '&a\nareas: *a', /expand to too much data/],
    [
      'a long list under many aliases',
      `areas:\n  a: &a [${'x'.repeat(9000)}]\n${names(20)}`,
      /expand to too much data/,
    ],
    ['many aliases', `areas:\n  a: &a [x]\n${names(60)}`, /at most 50 aliases/],
  ])('%s', (_, text, message) => {
    const { settings, errors } = readSettingsFile(text)
    expect(settings).toBeNull()
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })])
  })

  test('ordinary aliases are accepted', () => {
    const { settings } = readSettingsFile(`areas:\n  a: &a [x]\n${names(40)}`)
    expect(Object.keys(settings?.areas ?? {})).toHaveLength(41)
  })

  test('of thousands of duplicate names, twenty are reported', () => {
    expect(readSettingsFile(':\n'.repeat(30_000)).errors).toHaveLength(20)
    expect(readSettingsFile('? a\n'.repeat(16_000)).errors).toHaveLength(20)
  })

  test('no prototype is changed', () => {
    const before = Object.getOwnPropertyNames(Object.prototype)
    readSettingsFile(
      '__proto__: {polluted: 1}\nconstructor: {prototype: {polluted: 1}}\ncomment: {__proto__: {enabled: false}}',
    )
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })
})

function chain(length: number, at: (index: number) => string): string {
  return Array.from(
    { length },
    (_, index) => `a${index}: &a${index} ${index === 0 ? '[x,x]' : at(index)}`,
  ).join('\n')
}

/** `count` areas that are aliases of the anchored one. */
function names(count: number): string {
  return Array.from({ length: count }, (_, at) => `  b${at}: *a\n`).join('')
}
