/** Seeded conflicts in unjs/ufo. */
import type { Seed } from '../edits.ts'

/** A test file that expects `actual` to be `expected`. */
const test = (name: string, imports: string, [actual, expected]: [string, string]) => ({
  file: `test/${name}.test.ts`,
  add: `import { expect, test } from "vitest";\n${imports}\n\ntest("${name}", () => {\n  expect(${actual}).toEqual(${expected});\n});\n`,
})

export const UFO: readonly Seed[] = [
  {
    kind: 'removed function',
    one: [{ word: 'isNonEmptyURL', put: 'hasURL' }],
    other: [
      {
        file: 'src/list.ts',
        add: 'import { isNonEmptyURL } from "./utils";\n\nexport function listURLs(urls: string[]): string[] {\n  return urls.filter((url) => isNonEmptyURL(url));\n}\n',
      },
      test('list', 'import { listURLs } from "../src/list";', ['listURLs(["a"])', '["a"]']),
    ],
  },
  {
    kind: 'renamed parameter',
    one: [{ word: 'trailingSlash', put: 'withSlash' }],
    other: [
      test('slashes', 'import { isEqual } from "../src";', [
        'isEqual("/a", "/a/", { trailingSlash: true })',
        'false',
      ]),
    ],
  },
  {
    kind: 'changed signature',
    one: [
      {
        file: 'src/query.ts',
        find: '  key: string,\n  value: QueryValue | QueryValue[],\n): string {',
        put: '  value: QueryValue | QueryValue[],\n  key: string,\n): string {',
      },
      { file: 'src/query.ts', find: 'encodeQueryItem(k, query[k])', put: 'encodeQueryItem(query[k], k)' },
    ],
    other: [
      {
        file: 'src/pair.ts',
        add: 'import { encodeQueryItem } from "./query";\n\nexport function encodePair([key, value]: [string, string]): string {\n  return encodeQueryItem(key, value);\n}\n',
      },
      test('pair', 'import { encodePair } from "../src/pair";', ['encodePair(["a", "b"])', '"a=b"']),
    ],
  },
  {
    kind: 'changed default',
    one: [{ file: 'src/parse.ts', find: 'parseHost(input = "")', put: 'parseHost(input = "localhost")' }],
    other: [test('no-host', 'import { parseHost } from "../src/parse";', ['parseHost().hostname', '""'])],
  },
  {
    kind: 'new required field',
    one: [
      {
        file: 'src/utils.ts',
        find: 'withFragment(input: string, hash: string): string {',
        put: 'withFragment(input: string, hash: string, options: { keep: boolean }): string {\n  if (options.keep) {\n    return input;\n  }',
      },
      {
        file: 'test/utilities.test.ts',
        find: 'withFragment(t.input, t.fragment)',
        put: 'withFragment(t.input, t.fragment, { keep: false })',
      },
    ],
    other: [
      {
        file: 'src/anchor.ts',
        add: 'import { withFragment } from "./utils";\n\nexport function anchor(id: string): string {\n  return withFragment("/", id);\n}\n',
      },
      test('anchor', 'import { anchor } from "../src/anchor";', ['anchor("a")', '"/#a"']),
    ],
  },
  {
    kind: 'duplicated name',
    one: [
      {
        file: 'src/utils.ts',
        add: '\nexport function dropQuery(input: string): string {\n  return input.split("?")[0];\n}\n',
      },
      test('drop-query', 'import { dropQuery } from "../src";', ['dropQuery("/a?b")', '"/a"']),
    ],
    other: [
      {
        file: 'src/parse.ts',
        add: '\nexport function dropQuery(parsed: ParsedURL): ParsedURL {\n  return { ...parsed, search: "" };\n}\n',
      },
      test('dropped-query', 'import { dropQuery } from "../src";', [
        'dropQuery({ search: "?a" } as any).search',
        '""',
      ]),
    ],
  },
  {
    kind: 'changed constant',
    one: [
      {
        file: 'src/utils.ts',
        find: '(blob|data|javascript|vbscript)',
        put: '(about|blob|data|javascript|vbscript)',
      },
    ],
    other: [
      {
        file: 'src/utils.ts',
        add: '\nexport function isSafeProtocol(protocol: string): boolean {\n  return !PROTOCOL_SCRIPT_RE.test(protocol);\n}\n',
      },
      test('safe', 'import { isSafeProtocol } from "../src";', ['isSafeProtocol("about:")', 'true']),
    ],
  },
  {
    kind: 'moved module',
    one: [
      { word: 'src/punycode', put: 'src/_punycode' },
      { file: 'src/encoding.ts', find: '"./punycode"', put: '"./_punycode"' },
      { move: 'src/punycode.ts', to: 'src/_punycode.ts' },
    ],
    other: [
      {
        file: 'src/ascii.ts',
        add: 'import { toASCII } from "./punycode";\n\nexport function isASCII(host: string): boolean {\n  return toASCII(host) === host;\n}\n',
      },
      test('ascii', 'import { isASCII } from "../src/ascii";', ['isASCII("a.b")', 'true']),
    ],
  },
]
