/** Seeded conflicts in h3js/rou3. */
import type { Seed } from '../edits.ts'

/** A test file that expects `actual` to be `expected`. */
const test = (name: string, imports: string, [actual, expected]: [string, string]) => ({
  file: `test/${name}.test.ts`,
  add: `import { expect, test } from "vitest";\n${imports}\n\ntest("${name}", () => {\n  expect(${actual}).toEqual(${expected});\n});\n`,
})

export const ROU3: readonly Seed[] = [
  {
    kind: 'removed function',
    one: [{ word: 'expandGroupDelimiters', put: 'expandGroups' }],
    other: [
      {
        file: 'src/_count.ts',
        add: 'import { expandGroupDelimiters } from "./_group-delimiters.ts";\n\nexport function countVariants(path: string): number {\n  return expandGroupDelimiters(path)?.length ?? 1;\n}\n',
      },
      test('count', 'import { countVariants } from "../src/_count.ts";', ['countVariants("/a")', '1']),
    ],
  },
  {
    kind: 'renamed parameter',
    one: [{ word: 'matchAll', put: 'all' }],
    other: [
      test(
        'all',
        'import { addRoute, createRouter } from "../src/index.ts";\nimport { compileRouter } from "../src/compiler.ts";\n\nconst router = createRouter();\naddRoute(router, "GET", "/a", 1);',
        ['Array.isArray(compileRouter(router, { matchAll: true })("GET", "/a"))', 'true'],
      ),
    ],
  },
  {
    kind: 'changed signature',
    one: [
      {
        file: 'src/operations/_utils.ts',
        find: 'normalizePath(path: string): string {',
        put: 'normalizePath(path: string, root: string): string {\n  if (!root.startsWith("/")) throw new TypeError("root");',
      },
      { file: 'src/operations/find.ts', find: 'normalizePath(path)', put: 'normalizePath(path, "/")' },
      { file: 'src/operations/find-all.ts', find: 'normalizePath(path)', put: 'normalizePath(path, "/")' },
      { file: 'test/wpt.test.ts', find: 'normalizePath(input)', put: 'normalizePath(input, "/")' },
    ],
    other: [
      {
        file: 'src/_clean.ts',
        add: 'import { normalizePath } from "./operations/_utils.ts";\n\nexport function clean(path: string): string {\n  return normalizePath(path);\n}\n',
      },
      test('clean', 'import { clean } from "../src/_clean.ts";', ['clean("/a/../b")', '"/b"']),
    ],
  },
  {
    kind: 'changed default',
    one: [
      {
        file: 'src/regexp.ts',
        find: 'routeToRegExp(route: string = "/")',
        put: 'routeToRegExp(route: string = "/**")',
      },
    ],
    other: [
      test('root', 'import { routeToRegExp } from "../src/regexp.ts";', [
        'routeToRegExp()',
        'routeToRegExp("/")',
      ]),
    ],
  },
  {
    kind: 'new required field',
    one: [
      {
        file: 'src/_group-delimiters.ts',
        find: 'scanFirstGroup(path: string): GroupDelimiter | undefined {',
        put: 'scanFirstGroup(path: string, options: { max: number }): GroupDelimiter | undefined {\n  if (path.length > options.max) return undefined;',
      },
      {
        file: 'src/_group-delimiters.ts',
        find: '= scanFirstGroup(path)',
        put: '= scanFirstGroup(path, { max: 9999 })',
      },
      { file: 'src/regexp.ts', find: 'scanFirstGroup(route)', put: 'scanFirstGroup(route, { max: 9999 })' },
      { file: 'src/regexp.ts', find: 'scanFirstGroup(pre)', put: 'scanFirstGroup(pre, { max: 9999 })' },
      { file: 'src/regexp.ts', find: 'scanFirstGroup(body)', put: 'scanFirstGroup(body, { max: 9999 })' },
    ],
    other: [
      {
        file: 'src/_has-group.ts',
        add: 'import { scanFirstGroup } from "./_group-delimiters.ts";\n\nexport function hasGroup(path: string): boolean {\n  return scanFirstGroup(path) !== undefined;\n}\n',
      },
      test('has-group', 'import { hasGroup } from "../src/_has-group.ts";', ['hasGroup("/a")', 'false']),
    ],
  },
  {
    kind: 'duplicated name',
    one: [
      {
        file: 'src/index.ts',
        find: 'export { findRoute }',
        put: 'export { findRoute as lookup } from "./operations/find.ts";\nexport { findRoute }',
      },
    ],
    other: [{ file: 'src/index.ts', add: 'export { NullProtoObj as lookup } from "./object.ts";\n' }],
  },
  {
    kind: 'changed constant',
    one: [
      {
        file: 'src/compiler.ts',
        find: 'const SEGMENT_CHAIN_MAX = 32;',
        put: 'const SEGMENT_CHAIN_MAX = 33;',
      },
    ],
    other: [
      {
        file: 'src/compiler.ts',
        add: '\nexport function isChained(segments: string[]): boolean {\n  return segments.length <= SEGMENT_CHAIN_MAX;\n}\n',
      },
      test('chained', 'import { isChained } from "../src/compiler.ts";', [
        'isChained(Array.from({ length: 33 }, () => "a"))',
        'false',
      ]),
    ],
  },
  {
    kind: 'moved module',
    one: [
      { word: '_segment-wildcards.ts', put: '_wildcards.ts' },
      { move: 'src/_segment-wildcards.ts', to: 'src/_wildcards.ts' },
    ],
    other: [
      {
        file: 'src/_wild.ts',
        add: 'import { hasSegmentWildcard } from "./_segment-wildcards.ts";\n\nexport function isWild(segment: string): boolean {\n  return hasSegmentWildcard(segment);\n}\n',
      },
      test('wild', 'import { isWild } from "../src/_wild.ts";', ['isWild("a")', 'false']),
    ],
  },
]
