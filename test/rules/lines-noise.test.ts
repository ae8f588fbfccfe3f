/** Which files are noise, by name, by attributes and by settings. */
import { describe, expect, test } from 'vitest'
import { EMPTY_BLOB, noiseOf } from '../../src/engine/lines/change.ts'
import { attributesOf, DEFAULT_NOISE, noiseOfPath, readGitAttributes } from '../../src/engine/lines/noise.ts'
import { Deadline } from '../../src/vocabulary/clock.ts'
import { parseGlob } from '../../src/vocabulary/scope/glob.ts'
import { change } from '../support/lines.ts'

const attributesFrom = (text: string) => attributesOf(readGitAttributes(text))
const classOf = (path: string, rules = {}) => noiseOf(change({ path }), { ...DEFAULT_NOISE, ...rules })

describe('by its name', () => {
  test.each([
    [
      'lock',
      `package-lock.json web/yarn.lock Cargo.lock go.sum Gemfile.lock conda-lock.yml Package.resolved
      .terraform.lock.hcl uv.lock bun.lockb`,
    ],
    [
      'vendored',
      `vendor/a/b.go web/node_modules/x.js third_party/z.c Godeps/x Carthage/Build/x .pnp.cjs
      ios/Pods/x.m vendor/go.mod`,
    ],
    [
      'generated',
      `dist/a.js src/__generated__/a.ts a.min.js a.css.map api/a.pb.go a_pb2.py a_pb2.pyi
      a_pb2_grpc.py x_generated.go x.generated.ts a.g.dart a.freezed.dart Form.Designer.cs
      zz_generated.deepcopy.go`,
    ],
    ['snapshot', 'src/__snapshots__/a.js a.snap tests/x.ambr a.golden x_golden.txt'],
    [
      'changelog',
      `CHANGELOG.md docs/CHANGES HISTORY.rst RELEASE-NOTES.txt release_notes.md NEWS CHANGELOG-3.8.md
      CHANGELOG/CHANGELOG-1.30.md changelogs/unreleased/a.yml changelog.d/1.fix.md
      newsfragments/12.bugfix .changeset/a.md doc/release/upcoming_changes/1.rst`,
    ],
    ['manifest', 'go.mod api/go.mod go.work vendor.mod'],
    ['binary', 'logo.PNG font.woff2 a.tar.gz'],
  ])('a file is %s', (noise, paths) => {
    for (const path of paths.split(/\s+/)) expect(classOf(path), path).toEqual(noise)
  })

  test.each(
    `package.json Cargo.toml pom.xml .github/workflows/ci.yml src/changes.ts src/changelog/parse.ts history.go news.py vendor
    src/vendor.go distance/a.js src/generated.ts a.svg locks/yarn.ts src/golden.go release.md`.split(/\s+/),
  )('%s is not noise', (path) => {
    expect(classOf(path)).toBeNull()
  })
})

describe('a declared path, which may be a directory', () => {
  test.each([
    ['web/yarn.lock', 'lock'],
    ['vendor', 'vendored'],
    ['ios/Carthage/Build', 'vendored'],
    ['src/generated', 'generated'],
    ['src/__snapshots__', 'snapshot'],
    ['docs/CHANGELOG.md', 'changelog'],
    ['NEWS', 'changelog'],
    ['changelogs/1.yml', 'changelog'],
    ['go.mod', 'manifest'],
    ['logo.png', 'binary'],
    ['src/history', null],
    ['app/News', null],
    ['src/changelog/parse', null],
    ['src/changelog', null],
  ])('%s: %s', (path, noise) => {
    expect(noiseOfPath(path, DEFAULT_NOISE, false)).toBe(noise)
  })

  test('has only the class of its name after the deadline', () => {
    const attributes = attributesFrom('src/*.x linguist-generated')
    const rules = { ...DEFAULT_NOISE, attributes, deadline: new Deadline(0) }
    expect(noiseOfPath('src/a.x', rules, false)).toBeNull()
    expect(noiseOfPath('go.mod', rules, false)).toBe('manifest')
  })
})

test.each([
  ['no patch and no changed lines', change({ changed_lines: 0, blob_sha: 'a1' }), 'binary'],
  ['only another name', change({ changed_lines: 0, status: 'renamed', previous_path: 'b' }), null],
  ['no content at all', change({ changed_lines: 0, status: 'added', blob_sha: EMPTY_BLOB }), null],
  ['an omitted patch', change({ changed_lines: 9000 }), null],
  ['unknown content', change(), null],
  ['lines', change({ patch: '@@ -1 +1 @@\n-a\n+b', changed_lines: 2 }), null],
])('by its content a file with %s is %s', (_, file, noise) => {
  expect(noiseOf(file, DEFAULT_NOISE)).toBe(noise)
})

test.each([
  ['*.txtpb linguist-generated', 'api/next.txtpb', 'generated'],
  ['*.txtpb linguist-generated=true text', 'next.txtpb', 'generated'],
  ['/api/*.json linguist-generated', 'api/a.json', 'generated'],
  ['/api/*.json linguist-generated', 'web/api/a.json', null],
  ['api/** linguist-vendored', 'api/a/b.c', 'vendored'],
  ['deps linguist-vendored', 'deps/a.c', null],
  ['deps/ linguist-vendored', 'deps/a.c', null],
  ['docs/log.md merge=union', 'docs/log.md', 'changelog'],
  ['docs/log.md merge=ours', 'docs/log.md', null],
  ['a.pb.go -linguist-generated', 'a.pb.go', null],
  ['a.pb.go linguist-generated=false', 'a.pb.go', null],
  ['*.c linguist-generated\nkeep.c -linguist-generated', 'keep.c', null],
  ['*.go -linguist-generated\na.pb.go !linguist-generated', 'a.pb.go', 'generated'],
  ['keep.c -linguist-generated\n*.c linguist-generated', 'keep.c', 'generated'],
  ['"a b.c" linguist-generated', 'a b.c', 'generated'],
  ['{a,b}.c linguist-generated', 'a.c', null],
  ['{a,b}.c linguist-generated', '{a,b}.c', 'generated'],
  ['# *.c linguist-generated', 'a.c', null],
  ['[attr]made linguist-generated', 'attr', null],
  ['[ab].c linguist-generated', 'b.c', 'generated'],
  ['!a.c linguist-generated', 'a.c', null],
  ['[ linguist-generated\n*.c linguist-generated', 'b.c', 'generated'],
  ['*.c text', 'a.c', null],
  ['*.c -text\rlinguist-generated', 'a.c', 'generated'],
  ['*.c -text\u2028linguist-generated', 'a.c', null],
])('.gitattributes %j makes %s %s', (text, path, noise) => {
  expect(classOf(path, { attributes: attributesFrom(text) })).toBe(noise)
})

const by = (text: string) => ({ attributes: attributesFrom(text) })
const golden = { paths: { snapshot: [parseGlob('testdata/**')] } }

test.each([
  ['add files to a class', golden, 'testdata/a.txt', 'snapshot'],
  ['do not affect other files', golden, 'src/a.txt', null],
  ['switch a class off', { classes: { changelog: false } }, 'CHANGELOG.md', null],
  ['leave a class on', { classes: { changelog: true } }, 'CHANGELOG.md', 'changelog'],
  ['switch off a class and leave others', { classes: { lock: false } }, 'vendor/go.sum', 'vendored'],
  [
    'come before attributes',
    { ...golden, ...by('testdata/* -linguist-generated') },
    'testdata/a',
    'snapshot',
  ],
  ['apply to attributes', { classes: { generated: false }, ...by('* linguist-generated') }, 'a.c', null],
])('settings %s', (_, rules, path, noise) => {
  expect(classOf(path, rules)).toBe(noise)
})
