/** The areas of a repository from the file of the labeler action. */
import { describe, expect, test } from 'vitest'
import { areasOfLabeler } from '../../src/engine/settings/settings-file.ts'
import { Settings } from '../../src/vocabulary/contract/settings.ts'

describe('the globs of a label are an area', () => {
  test.each<[string, object]>([
    ['docs: docs/**', { docs: ['docs/**'] }],
    ['docs:\n- docs/**\n- "*.md"\n', { docs: ['docs/**', '*.md'] }],
    ["src:\n- any: ['src/**', '!src/x']\n  all: ['lib/**']\n", { src: ['src/**', 'lib/**'] }],
    ['src:\n- a/**\n- any: [b/**]\n- all: c/**\n', { src: ['a/**', 'b/**', 'c/**'] }],
    ["src:\n- changed-files:\n  - any-glob-to-any-file: 'src/**'\n", { src: ['src/**'] }],
    ["src:\n  changed-files:\n    any-glob-to-any-file: 'src/**'\n", { src: ['src/**'] }],
    [
      `src:
- changed-files:
  - any-glob-to-any-file: [a/**, aa/**]
  - any-glob-to-all-files: b/**
  - all-globs-to-any-file: [c/**, '!c/x']
  - all-globs-to-all-files: [d/**]
`,
      { src: ['a/**', 'aa/**', 'b/**', 'c/**', 'd/**'] },
    ],
    [
      `src:
- any:
  - changed-files:
    - any-glob-to-any-file: [a/**]
  - head-branch: ['^feature']
- all:
  - base-branch: main
  - changed-files:
    - all-globs-to-all-files: [b/**]
`,
      { src: ['a/**', 'b/**'] },
    ],
    ['a: x\nb: y\n', { a: ['x'], b: ['y'] }],
    ['a: [x, y, x]', { a: ['x', 'y'] }],
    ['API: [a]\napi: [b, a]\n', { API: ['a', 'b'] }],
    ['2: [a]\n1.0: [b]', { '2': ['a'], '1.0': ['b'] }],
    ['"area: web app": [web]', { 'area: web app': ['web'] }],
    ['constructor: [a]', { constructor: ['a'] }],
    ['a: &x [p, q]\nb:\n- any: *x\n', { a: ['p', 'q'], b: ['p', 'q'] }],
    ['a:\r\n- x\r\n', { a: ['x'] }],
    ['a: ["app/(shop)/**", "v{1..3}/x"]', { a: ['app/(shop)/**', 'v{1..3}/x'] }],
  ])('%s', (text, areas) => {
    expect(areasOfLabeler(text)).toEqual(areas)
  })
})

describe('entries that select no part of the repository are left out', () => {
  test.each<[string, object]>([
    ["release:\n- base-branch: 'main'\n- head-branch: ['^a', b]\n", {}],
    ['big:\n- files-changed: 20\nmax: 3\n', {}],
    ['a:\n- author: bob\n- any: [{title: x}]\n', {}],
    ["a: ['!x', y]\nb:\n- changed-files:\n  - all-globs-to-all-files: '!docs/**'\n", { a: ['y'] }],
    ["a: ['**', '**/*', '*']", { a: ['*'] }],
    ['a: ["../x", "[", "", "a\\0", ok]', { a: ['ok'] }],
    ['a: ["+(a|b)", "src/!(x)/**", "@(a)", "?(b)", "*(c)", ok]', { a: ['ok'] }],
    ['a: ["v{1..9..2}/x", "#x", ok]', { a: ['ok'] }],
    ['a: [1, true, null, ok]\nb: 5\nc:\n', { a: ['ok'] }],
    [`${'x'.repeat(101)}: a\nb: c\n`, { b: ['c'] }],
    ['"": a\n" ": b\nc: d\n', { c: ['d'] }],
  ])('%s', (text, areas) => {
    expect(areasOfLabeler(text)).toEqual(areas)
  })

  test.each([
    ['nothing', ''],
    ['a remark', '# none'],
    ['a list', '- a'],
    ['a word', 'a'],
    ['broken YAML', 'a: ['],
    ['YAML that breaks after a label', 'a: b\nc: ['],
    ['a label twice', 'a: b\na: c'],
    ['a tag', 'a: !x b'],
    ['an alias of nothing', 'a: *b'],
    ['__proto__ as a label', '__proto__: [a]'],
    ['too many characters', `a: b\n#${'x'.repeat(65_536)}`],
    ['deep nesting', `a: ${'['.repeat(60_000)}`],
    ['a list that contains itself', `a: &a [${'*a,'.repeat(40)}]`],
    ['rules that contain themselves', 'a: &a {any: [*a,*a,*a,*a,*a,*a], all: [*a,*a,*a,*a,*a,*a]}'],
  ])('a file has no areas: %s', (_, text) => {
    const areas = areasOfLabeler(text)
    expect(areas).toEqual({})
    expect(Object.getPrototypeOf(areas)).toBe(Object.prototype)
  })
})

describe('areas keep the limits of a setting', () => {
  const many = (count: number, each: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => each(at))

  test('at most 100 labels that have globs', () => {
    const branches = many(100, (at) => `b${at}: [{head-branch: x}]`)
    const files = many(120, (at) => `f${at}: src/${at}/**`)
    const areas = areasOfLabeler([...branches, ...files].join('\n'))
    expect(Object.keys(areas)).toEqual(many(100, (at) => `f${at}`))
    expect(Settings.parse({ areas }).areas).toEqual(areas)
  })

  test('at most 200 globs of a label', () => {
    const areas = areasOfLabeler(`a: [${many(300, (at) => `s${at}/**`).join(', ')}]`)
    expect(areas.a).toEqual(many(200, (at) => `s${at}/**`))
    expect(Settings.parse({ areas }).areas).toEqual(areas)
  })
})
