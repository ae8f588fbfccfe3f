/** A settings file from any committer cannot exhaust or end the service. */
import { describe, expect, test } from 'vitest'
import { readSettingsFile } from '../../src/engine/settings/settings-file.ts'

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
