/** Which names one change takes away and another one uses: each sentence of the rules is a row. */
import { describe, expect, test } from 'vitest'
import { changedNamesOf, NAMES_MAX, type PatchedFile } from '../../src/server/changed-names/changed-names.ts'
import { matchNames } from '../../src/server/changed-names/match.ts'
import { KEY_BYTES, type LineHasher, lineHasher } from '../../src/server/line-verdicts/line-hash.ts'
import { hash } from '../support/lines.ts'
import { atOnce } from '../support/steps.ts'

/** A file whose patch has one hunk with these lines, each behind its ` `, `-` or `+`. */
function edit(
  path: string,
  text: string,
  more: Partial<PatchedFile> & { section?: string } = {},
): PatchedFile {
  const { section = '', ...fields } = more
  const lines = text.replace(/^\n/, '').replace(/\n *$/, '').split('\n')
  const count = (without: string) => lines.filter((line) => !line.startsWith(without)).length
  const patch = `@@ -9,${count('+')} +9,${count('-')} @@ ${section}\n${lines.join('\n')}`
  return { path, previous_path: null, status: 'modified', patch, ...fields }
}

function reasons(one: PatchedFile[], other: PatchedFile[]): string[] {
  const found = matchNames(atOnce(changedNamesOf(one, hash)), atOnce(changedNamesOf(other, hash)))
  return [...new Set(found.map(({ reason }) => reason))]
}

const NOT: string[] = []
const IMPORT = ['import_removed']
const SYMBOL = ['symbol_removed']

describe('an import that is removed, used anew in the same file', () => {
  const [python, typescript, rust] = ['a/pay.py', 'src/pay.ts', 'src/pay.rs']
  const gone = edit(python, '-from typing import List\n x = 1')
  const used = edit(python, ' y = 2\n+def f(a: List[int]):')

  test.each<[string, PatchedFile, PatchedFile, string[]]>([
    ['Python', gone, used, IMPORT],
    ['Python, a module', edit(python, '-import json\n x'), edit(python, '+a = json.dumps(b)'), IMPORT],
    ['Python, an alias', edit(python, '-import numpy as np\n x'), edit(python, '+a = np.zeros(2)'), IMPORT],
    [
      'Python, one of a list in brackets',
      edit(python, ' from a import (\n-    retry_all,\n     stop,\n )'),
      edit(python, '+    retry_all()'),
      IMPORT,
    ],
    ['TypeScript', edit(typescript, "-import { retry } from './a'"), edit(typescript, '+retry(1)'), IMPORT],
    [
      'TypeScript, a default and a type',
      edit(typescript, "-import pay, { type Bill } from './a.js'\n+import pay from './a.js'"),
      edit(typescript, '+const b: Bill = pay()'),
      IMPORT,
    ],
    [
      'TypeScript, a namespace',
      edit(typescript, "-import * as fs from 'node:fs'"),
      edit(typescript, "+fs.read('')"),
      IMPORT,
    ],
    [
      'TypeScript, one of a list whose first line is not shown',
      edit(typescript, "   stop,\n-  retry,\n } from './a'\n x"),
      edit(typescript, '+retry()'),
      IMPORT,
    ],
    [
      'JavaScript, required',
      edit('a.js', "-const { retry, stop } = require('./a')\n+const { stop } = require('./a')"),
      edit('a.js', '+retry()'),
      IMPORT,
    ],
    [
      'Rust at any depth',
      edit(
        rust,
        ' mod tests {\n-    use std::collections::{BTreeMap, HashMap};\n+    use std::collections::HashMap;',
      ),
      edit(rust, '+    let a = BTreeMap::new();'),
      IMPORT,
    ],
    ['Rust, an alias', edit(rust, '-use a::b as c2;'), edit(rust, '+    c2(1);'), IMPORT],
    ['after a keyword', gone, edit(python, '+    return List'), IMPORT],
    ['in another file', gone, edit('a/other.py', '+def f(a: List[int]):'), NOT],
    [
      'still imported on the new side',
      edit(python, '-from typing import List\n+from t import List'),
      used,
      NOT,
    ],
    [
      'named in added code of the side that removes it',
      edit(python, '-from typing import List\n x\n+List = list'),
      used,
      NOT,
    ],
    ['of a file that is removed', { ...gone, status: 'removed' }, used, NOT],
    ['in a function', edit(python, '-    from typing import List\n x'), used, NOT],
    ['a star', edit(python, '-from typing import *\n x'), used, NOT],
    ['used as often as before', gone, edit(python, '-a: List[int]\n+a: List[str]'), NOT],
    [
      'imported by the other side',
      gone,
      edit(python, '+from x import List\n y\n+a: List[int]\n+b: List[int]'),
      NOT,
    ],
    [
      'defined by the other side',
      gone,
      edit(python, '+class List:\n+    a: List[int]\n+    b: List[int]'),
      NOT,
    ],
    ['a member', gone, edit(python, '+a.List[0]'), NOT],
    ['a path', edit(rust, '-use a::Retry;'), edit(rust, '+b::Retry(1);'), NOT],
    ['in a string', gone, edit(python, '+a = "List[int]"'), NOT],
    ['in a comment', gone, edit(python, '+a = 1  # List[int]'), NOT],
    ['in a docstring', gone, edit(python, '+"""\n+a (List[int])\n+"""'), NOT],
    ['in prose', gone, edit(python, '+    List of middleware'), NOT],
    ['the name of an argument', gone, edit(python, '+f(List=1)'), NOT],
    ['a template', edit(typescript, "-import a1 from './a'"), edit(typescript, '+b(`a1(2)`)'), NOT],
    [
      'what a template inserts',
      edit(typescript, "-import a1 from './a'"),
      edit(typescript, ['+b(`$', '{a1}`)'].join('')),
      IMPORT,
    ],
    ['a name of one letter', edit(python, '-import a as b'), edit(python, '+b(1)'), NOT],
    ['another language', edit('a.md', '-from typing import List'), edit('a.md', '+(List)'), NOT],
    [
      'a file that is renamed',
      edit('b/pay.py', '-from typing import List', { previous_path: python, status: 'renamed' }),
      used,
      IMPORT,
    ],
  ])('%s', (_, one, other, expected) => {
    expect(reasons([one], [other])).toEqual(expected)
  })

  test('is the same from either side', () => {
    expect(reasons([used], [gone])).toEqual(IMPORT)
  })
})

describe('a symbol that is removed, used anew with a link', () => {
  const gone = edit('app/pay.py', '-def retry_all(a):\n-    pass')
  const used = edit('tests/b.py', '+from app.pay import retry_all\n+retry_all(1)')
  const inRust = edit('crates/uv-pay/src/bill.rs', '-    pub fn retry_all(&self) {}', {
    section: 'impl<T> Bill<T> {',
  })

  test.each<[string, PatchedFile[], PatchedFile[], string[]]>([
    ['import: Python, dotted', [gone], [used], SYMBOL],
    ['import: Python, relative', [gone], [edit('app/b.py', '+from .pay import retry_all')], SYMBOL],
    ['import: Python, above', [gone], [edit('app/c/b.py', '+from ..pay import retry_all')], SYMBOL],
    [
      'import: Python, below src',
      [edit('src/app/pay.py', '-class PayError(Exception):')],
      [edit('b.py', '+from app.pay import PayError')],
      SYMBOL,
    ],
    [
      'import: Python, a package',
      [edit('app/__init__.py', '-MAX_SIZE = 1')],
      [edit('b.py', '+from app import MAX_SIZE')],
      SYMBOL,
    ],
    [
      'import: TypeScript',
      [edit('src/pay.ts', '-export const retryAll = 1')],
      [edit('src/a/b.ts', "+import { retryAll } from '../pay.js'")],
      SYMBOL,
    ],
    [
      'import: TypeScript, an index',
      [edit('src/pay/index.ts', '-export function retryAll() {')],
      [edit('src/b.ts', "+import { retryAll as a } from './pay'")],
      SYMBOL,
    ],
    [
      'import: TypeScript, exported again',
      [edit('src/pay.ts', '-export interface PayBill {')],
      [edit('src/b.ts', "+export { PayBill } from './pay'")],
      SYMBOL,
    ],
    ['import: Rust, the crate', [inRust], [edit('crates/a/src/b.rs', '+use uv_pay::retry_all;')], SYMBOL],
    [
      'import: Rust, the file',
      [inRust],
      [edit('crates/uv-pay/src/b.rs', '+use crate::bill::{retry_all};')],
      SYMBOL,
    ],
    [
      'import: Rust, another file',
      [inRust],
      [edit('crates/a/src/b.rs', '+use crate::shop::retry_all;')],
      NOT,
    ],
    ['import: another module', [gone], [edit('b.py', '+from app.bill import retry_all')], NOT],
    [
      'import: a name that is long and not compound',
      [edit('pay.py', '-def backoff():')],
      [edit('b.py', '+from pay import backoff')],
      SYMBOL,
    ],
    [
      'import: a short name',
      [edit('pay.py', '-def delay():')],
      [edit('b.py', '+from pay import delay')],
      NOT,
    ],
    [
      'import: moved',
      [gone],
      [edit('b.py', '-from app.pay import retry_all\n x\n+from app.pay import retry_all')],
      NOT,
    ],
    ['same file', [gone], [edit('app/pay.py', '+    retry_all(2)')], SYMBOL],
    [
      'same file, a name that is not compound',
      [edit('pay.py', '-def backoff():')],
      [edit('pay.py', '+backoff()')],
      NOT,
    ],
    ['same file, a member of another object', [gone], [edit('app/pay.py', '+    a.retry_all(2)')], NOT],
    [
      'same file, a method',
      [edit('pay.py', '-    def retry_all(self):')],
      [edit('pay.py', '+self.retry_all()')],
      SYMBOL,
    ],
    [
      'same file, a method of a member',
      [edit('pay.py', '-    def retry_all(self):')],
      [edit('pay.py', '+self.y.retry_all()')],
      SYMBOL,
    ],
    [
      'same file, Self::',
      [edit('src/a.rs', '-    fn retry_all() {')],
      [edit('src/a.rs', '+Self::retry_all()')],
      SYMBOL,
    ],
    ['module-qualified', [gone], [edit('b.py', '+pay.retry_all(1)')], SYMBOL],
    ['module-qualified, by another module', [gone], [edit('b.py', '+bill.retry_all(1)')], NOT],
    [
      'module-qualified, a method',
      [edit('pay.py', '-    def retry_all(self):')],
      [edit('b.py', '+pay.retry_all()')],
      NOT,
    ],
    ['type-qualified', [inRust], [edit('src/b.rs', '+Bill::retry_all(1)')], SYMBOL],
    [
      'type-qualified, by the line above',
      [edit('src/a.rs', ' impl Bill {\n-    fn retry_all() {}')],
      [edit('src/b.rs', '+Bill::retry_all(1)')],
      SYMBOL,
    ],
    [
      'type-qualified, of a trait',
      [edit('src/a.rs', ' impl Pay for Bill {\n-    fn retry_all() {}')],
      [edit('src/b.rs', '+Bill::retry_all(1)')],
      NOT,
    ],
    ['a use without a link', [gone], [edit('b.py', '+retry_all(1)')], NOT],
    ['an async function', [edit('app/pay.py', '-async def retry_all():')], [used], SYMBOL],
    [
      'a type',
      [edit('src/a.ts', '-export type PayBill = {')],
      [edit('src/b.ts', "+import type { PayBill } from './a'")],
      SYMBOL,
    ],
    ['an indented constant', [edit('app/pay.py', '-    retry_all = 1')], [used], NOT],
    [
      'a global of the browser',
      [edit('src/a.ts', '-declare const documentRoot: any')],
      [edit('src/a.ts', '+documentRoot()')],
      NOT,
    ],
    [
      'Rust, a macro',
      [edit('src/a.rs', '-macro_rules! retry_all {')],
      [edit('src/a.rs', '+retry_all!(1)')],
      SYMBOL,
    ],
    [
      'Rust, restricted',
      [edit('src/a.rs', '-pub(crate) const RETRY_ALL: u8 = 1;')],
      [edit('src/a.rs', '+a(RETRY_ALL)')],
      SYMBOL,
    ],
    ['kept in another file', [gone, edit('app/bill.py', '+def retry_all(a):')], [used], NOT],
    ['named in an added comment', [gone, edit('README.md', '+`retry_all` is now …')], [used], NOT],
    ['a name of three letters', [edit('app/pay.py', '-def a_b():')], [edit('app/pay.py', '+a_b()')], NOT],
    [
      'a common name',
      [edit('app/pay.py', '-def context():')],
      [edit('b.py', '+from app.pay import context')],
      NOT,
    ],
    ['used as often as before', [gone], [edit('app/pay.py', '-retry_all(1)\n+retry_all(2)')], NOT],
    ['used in another language', [gone], [edit('app/pay.ts', '+retry_all(2)')], NOT],
    ['defined by the other side', [gone], [used, edit('c.py', '+def retry_all():')], NOT],
  ])('%s', (_, one, other, expected) => {
    expect(reasons(one, other)).toEqual(expected)
  })
})

describe('a signature that is changed, called anew with a link', () => {
  const SIGNATURE = ['signature_changed']
  const more = edit('app/pay.py', '-def retry(a):\n+def retry(a, b):\n     pass')
  const call = (args: string) => edit('b.py', ` from app.pay import retry\n+retry(${args})`)
  const typescript = (before: string, after: string) => edit('src/pay.ts', `-${before}\n+${after}`)
  const callOf = (text: string) => edit('src/b.ts', ` import { retry } from './pay'\n+${text}`)
  const rust = edit(
    'src/bill.rs',
    '-    pub fn retry(&self, a: u8) {\n+    pub fn retry(&self, a: u8, b: u8) {',
    {
      section: 'impl Bill {',
    },
  )

  test.each<[string, PatchedFile[], PatchedFile[], string[]]>([
    ['Python, a new parameter', [more], [call('1')], SIGNATURE],
    ['Python, called in the new way', [more], [call('1, 2')], NOT],
    ['Python, called with a list', [more], [call('*a')], NOT],
    ['Python, without a link', [more], [edit('b.py', '+retry(1)')], NOT],
    [
      'Python, a call that was there',
      [more],
      [edit('b.py', ' from app.pay import retry\n-retry(1)\n+x = retry(1)')],
      NOT,
    ],
    [
      'Python, a new parameter with a default',
      [edit('app/pay.py', '-def retry(a):\n+def retry(a, b=1):')],
      [call('1')],
      NOT,
    ],
    [
      'Python, another default',
      [edit('app/pay.py', '-def retry(a, b=1):\n+def retry(a, b=2):')],
      [call('1')],
      SIGNATURE,
    ],
    [
      'Python, another default that the call gives',
      [edit('app/pay.py', '-def retry(a, b=1):\n+def retry(a, b=2):')],
      [call('1, 3')],
      NOT,
    ],
    [
      'Python, a renamed parameter, by name',
      [edit('app/pay.py', '-def retry(a):\n+def retry(b):')],
      [call('a=1')],
      SIGNATURE,
    ],
    [
      'Python, a renamed parameter, by place',
      [edit('app/pay.py', '-def retry(a):\n+def retry(b):')],
      [call('1')],
      NOT,
    ],
    [
      'Python, another order',
      [edit('app/pay.py', '-def retry(a, b):\n+def retry(b, a):')],
      [call('1, 2')],
      SIGNATURE,
    ],
    ['Python, async', [edit('app/pay.py', '-def retry(a):\n+async def retry(a):')], [call('1')], SIGNATURE],
    [
      'Python, annotated',
      [edit('app/pay.py', '-def retry(a):\n+def retry(a: int) -> int:')],
      [call('1')],
      NOT,
    ],
    [
      'Python, over several lines',
      [edit('app/pay.py', ' def retry(\n     a,\n+    b,\n ):')],
      [call('\n+    1,\n+')],
      SIGNATURE,
    ],
    [
      'Python, a method',
      [edit('app/pay.py', '-    def retry(self, a):\n+    def retry(self, a, b):')],
      [edit('app/pay.py', '+        self.retry(1)')],
      SIGNATURE,
    ],
    [
      'Python, a constructor',
      [
        edit('app/pay.py', '-    def __init__(self, a):\n+    def __init__(self, a, b):', {
          section: 'class Bill:',
        }),
      ],
      [edit('b.py', '+from app.pay import Bill\n+Bill(1)')],
      SIGNATURE,
    ],
    ['Python, module-qualified', [more], [edit('b.py', '+pay.retry(1)')], SIGNATURE],
    ['Python, same file', [more], [edit('app/pay.py', '+    retry(1)')], SIGNATURE],
    [
      'TypeScript',
      [
        typescript(
          'export function retry(a: string) {',
          'export function retry(a: string, b: Map<string, number>) {',
        ),
      ],
      [callOf("retry('a, b')")],
      SIGNATURE,
    ],
    [
      'TypeScript, an optional parameter',
      [typescript('export function retry(a: string) {', 'export function retry(a: string, b?: number) {')],
      [callOf("retry('a')")],
      NOT,
    ],
    [
      'TypeScript, another type',
      [typescript('export function retry(a: string) {', 'export function retry(a: number) {')],
      [callOf("retry('a')")],
      SIGNATURE,
    ],
    [
      'TypeScript, another result',
      [typescript('export function retry(): string {', 'export function retry(): Promise<string> {')],
      [callOf('retry()')],
      SIGNATURE,
    ],
    [
      'TypeScript, an arrow',
      [typescript('export const retry = (a) => a', 'export const retry = (a, b) => a')],
      [callOf('retry(1)')],
      SIGNATURE,
    ],
    [
      'TypeScript, a value in brackets',
      [typescript('export const retry = (1, 2)', 'export const retry = (1)')],
      [callOf('retry(1, 2)')],
      NOT,
    ],
    [
      'TypeScript, an alias',
      [typescript('export function retry(a) {', 'export function retry(a, b) {')],
      [edit('src/b.ts', " import { retry as again } from './pay'\n+again(1)")],
      SIGNATURE,
    ],
    ['Rust, a method of a type', [rust], [edit('src/b.rs', '+Bill::retry(1)')], SIGNATURE],
    ['Rust, of another type', [rust], [edit('src/b.rs', '+Shop::retry(1)')], NOT],
    [
      'Rust, of a module',
      [edit('src/bill.rs', "-pub fn retry<'a>(a: &'a str) {\n+pub fn retry<'a>(a: &'a str, b: u8) {")],
      [edit('src/b.rs', '+bill::retry("a")')],
      SIGNATURE,
    ],
    [
      'two of one name',
      [edit('app/pay.py', '-    def retry(self, a):\n+    def retry(self, a, b):\n     def retry(self):')],
      [edit('app/pay.py', '+self.retry(1)')],
      NOT,
    ],
    ['called in another language', [more], [edit('app/pay.ts', '+retry(1)')], NOT],
  ])('%s', (_, one, other, expected) => {
    expect(reasons(one, other)).toEqual(expected)
  })
})

const moved = {
  path: 'src/_pay.ts',
  previous_path: 'src/pay.ts',
  status: 'renamed',
  patch: undefined,
} as const

describe('a module that is removed, imported anew', () => {
  const PATH = ['path_removed']
  const python = { path: 'app/pay.py', previous_path: null, status: 'removed', patch: undefined } as const
  const rust = {
    path: 'src/http.rs',
    previous_path: 'src/pay.rs',
    status: 'renamed',
    patch: undefined,
  } as const

  test.each<[string, PatchedFile, PatchedFile, string[]]>([
    ['TypeScript', moved, edit('src/b.ts', "+import { a } from './pay.js'"), PATH],
    ['TypeScript, as a whole', moved, edit('src/b.ts', "+import * as pay from './pay'"), PATH],
    ['TypeScript, another module', moved, edit('src/b.ts', "+import { a } from './bill'"), NOT],
    [
      'TypeScript, an import that was there',
      moved,
      edit('src/b.ts', "-import { a } from './pay'\n x\n+import { a } from './pay'"),
      NOT,
    ],
    ['Python, a name of it', python, edit('b.py', '+from app.pay import a'), PATH],
    ['Python, the module', python, edit('b.py', '+from app import pay'), PATH],
    ['Python, beside it', python, edit('app/b.py', '+from . import pay'), PATH],
    ['Python, by its path', python, edit('b.py', '+import app.pay'), PATH],
    ['Rust', rust, edit('src/b.rs', '+use crate::pay::Bill;'), PATH],
    ['Rust, another module', rust, edit('src/b.rs', '+use crate::bill::Bill;'), NOT],
  ])('%s', (_, one, other, expected) => {
    expect(reasons([one], [other])).toEqual(expected)
  })
})

describe('a value that is changed, used anew with a link', () => {
  const DEFINITION = ['definition_changed']
  const value = edit('app/pay.py', '-MAX_SIZE = 1\n+MAX_SIZE = 2')

  test.each<[string, PatchedFile, PatchedFile, string[]]>([
    ['a constant', value, edit('b.py', '+from app.pay import MAX_SIZE'), DEFINITION],
    ['a constant, same file', value, edit('app/pay.py', '+a(MAX_SIZE)'), DEFINITION],
    ['a constant, without a link', value, edit('b.py', '+a(MAX_SIZE)'), NOT],
    [
      'an alias',
      edit('src/a.ts', '-export type PayBill = string\n+export type PayBill = number'),
      edit('src/b.ts', "+import type { PayBill } from './a'"),
      DEFINITION,
    ],
    [
      'Rust',
      edit('src/a.rs', '-pub const MAX_SIZE: u8 = 1;\n+pub const MAX_SIZE: u8 = 2;'),
      edit('src/b.rs', '+use crate::a::MAX_SIZE;'),
      DEFINITION,
    ],
    [
      'a function',
      edit('src/a.ts', '-export const retryAll = (a) => a\n+export const retryAll = (a) => 1'),
      edit('src/b.ts', "+import { retryAll } from './a'"),
      NOT,
    ],
    [
      'a class',
      edit('app/pay.py', '-class PayBill(A):\n+class PayBill(B):'),
      edit('b.py', '+from app.pay import PayBill'),
      NOT,
    ],
  ])('%s', (_, one, other, expected) => {
    expect(reasons([one], [other])).toEqual(expected)
  })
})

describe('the names of a pull request', () => {
  const words = Array.from({ length: 2_500 }, (_, at) => `+f(name_${at})`).join('\n')

  test('are at most 2,000', () => {
    expect(atOnce(changedNamesOf([edit('a.py', words)], hash))).toHaveLength(NAMES_MAX)
  })

  test('are first those that are taken away', () => {
    const files = [edit('a.py', words), edit('b.py', '-def retry_all():')]
    expect(atOnce(changedNamesOf(files, hash))[0]?.kind).toBe('symbol_removed')
  })

  const retries = edit('a.js', "-import { retry_all } from './pay'\n x")

  test('are not read from lines of more than 500 characters', () => {
    const long = `+retry_all(${'a'.repeat(500)})`
    expect(reasons([retries], [edit('a.js', '+retry_all()')])).toEqual(IMPORT)
    expect(reasons([retries], [edit('a.js', long)])).toEqual(NOT)
  })

  test('are not read after the first 5,000 lines of a patch', () => {
    const far = (count: number) => edit('a.js', `${' x\n'.repeat(count)}+retry_all()`)
    expect(reasons([retries], [far(4_999)])).toEqual(IMPORT)
    expect(reasons([retries], [far(5_000)])).toEqual(NOT)
  })

  /** Work that grows with the square of the length would take minutes, in which the service answers nobody. */
  test.each([
    ['a line of minified code', 'a.js', '+ab1,'.repeat(80_000)],
    ['a line of members', 'a.py', `+${'aa.'.repeat(130_000)}`],
    ['thousands of functions', 'a.rs', '+pub fn f(\n'.repeat(20_000)],
    ['thousands of calls that do not end', 'a.js', `+${'foo('.repeat(120)}\n`.repeat(400)],
    ['thousands of imports that do not end', 'a.ts', '+import {\n'.repeat(20_000)],
    ['thousands of strings that do not end', 'a.rs', `+${'r#"'.repeat(160)}\n`.repeat(400)],
  ])('take little work in %s', (_, path, lines) => {
    const removed = lines.replace(/^\+/gm, '-').replace(/\n?$/, '\n')
    expect(reasons([edit(path, removed + lines)], [edit('a.js', '+retry_all()')])).toEqual(NOT)
  })

  test('are none for a patch that cannot be read', () => {
    expect(atOnce(changedNamesOf([{ ...edit('a.py', ''), patch: '@@ -1 +1 @@' }], hash))).toEqual([])
  })

  test('have other keys in another repository', () => {
    const other = lineHasher(new Uint8Array(KEY_BYTES).fill(8))
    const keysOf = (by: LineHasher) =>
      atOnce(changedNamesOf([edit('a.py', '-import retries')], by)).map(({ key }) => key)
    expect(keysOf(hash)).not.toEqual(keysOf(other))
  })
})
