/** Which numbers and parents two sides take (docs/contract/numbers.md), and how a side gives way. */
import { describe, expect, test } from 'vitest'
import type { ChangedFile } from '../../src/engine/lines/change.ts'
import type { Migration } from '../../src/engine/lines/migration.ts'
import {
  type NumberRules,
  sharedTaken,
  stillTaken,
  successorOf,
  takingOf,
} from '../../src/engine/lines/taken.ts'
import { saidIn, takenFix } from '../../src/vocabulary/finding.ts'
import { type FindingOf, type TakenFinding, takenValue } from '../../src/vocabulary/finding-kinds.ts'
import { SAME_NUMBER as NUMBER } from '../support/conclusion.ts'

type File = Pick<ChangedFile, 'path' | 'previous_path' | 'status' | 'migration'>

const file = (path: string, changes: Partial<File> = {}): File => ({
  path,
  previous_path: null,
  status: 'added',
  ...changes,
})
const renamed = (previous_path: string, path: string) => file(path, { previous_path, status: 'renamed' })
const django = (own: string, parents: string[], changes: Partial<Migration> = {}) =>
  file(`shop/migrations/${own}.py`, { migration: { own, parents, is_merge: false, ...changes } })

const rules: NumberRules = {
  ...{ isNumbered: () => undefined, isManifest: () => false },
  isIgnored: (path) => path.endsWith('.generated.sql'),
}
const shared = (mine: File[], its: File[], given = rules) => {
  const sides = { yours: { taking: takingOf(mine) }, theirs: { taking: takingOf(its) }, numbers: given }
  const found = [...sharedTaken('number', sides), ...sharedTaken('parent', sides)]
  return found.map((each) => `${each.kind} ${takenValue(each)}`)
}

const merge = (own: string, ...parents: string[]) => django(own, parents, { is_merge: true })
const numbered = (name: string, changes: Partial<File> = {}) => file(`db/migrations/${name}`, changes)

const CARTS = numbered('0042_carts.sql')
const ORDERS = numbered('0042_orders.sql')
const INITIAL = ['0041_users']
const PARENT = ['parent 0041_users']
const alembic = (own: string, ...parents: string[]) =>
  file(`db/versions/${own}_words.py`, { migration: { own, parents, is_merge: parents.length > 1 } })
const unread = (own: string) => file(`shop/migrations/${own}.py`)
/** Two that build on the same migration. */
const [A, B] = [django('0042_a', INITIAL), django('0042_b', INITIAL)]

describe('two sides take', () => {
  test.each<[string, File[], File[], string[]]>([
    ['the same number', [CARTS], [ORDERS], ['number 0042']],
    ['… with other zeros', [CARTS], [numbered('42_orders.sql')], ['number 0042']],
    ['… by a rename', [CARTS], [renamed('db/migrations/0041_x.sql', ORDERS.path)], ['number 0042']],
    ['nothing by a rename that keeps it', [CARTS], [renamed('db/migrations/0042_x.sql', ORDERS.path)], []],
    ['nothing by the same name', [CARTS], [CARTS], []],
    ['nothing if one has both names', [CARTS, ORDERS], [CARTS], []],
    [
      '… one number for up and down',
      [file('m/migrations/3_a.up.sql'), file('m/migrations/3_a.down.sql')],
      [file('m/migrations/3_b.up.sql')],
      ['number 3'],
    ],
    ['nothing in other directories', [CARTS], [file('api/migrations/0042_orders.sql')], []],
    ['nothing where files are not numbered', [file('src/1_a.ts')], [file('src/1_b.ts')], []],
    ['nothing by a change', [CARTS], [file(ORDERS.path, { status: 'modified' })], []],
    ['nothing by a removal', [CARTS], [file(ORDERS.path, { status: 'removed' })], []],
    ['nothing by an ignored file', [numbered('0042_x.generated.sql')], [ORDERS], []],
    ['the number of a file beside it', [numbered('0042_x.generated.sql'), CARTS], [ORDERS], ['number 0042']],
    [
      'the number of a directory that Drizzle keeps',
      [file('drizzle/0003_a.sql'), file('drizzle/meta/_journal.json', { status: 'modified' })],
      [file('drizzle/0003_b.sql')],
      ['number 0003'],
    ],
  ])('%s', (_, yours, theirs, expected) => {
    expect(shared(yours, theirs)).toEqual(expected)
    expect(shared(theirs, yours)).toHaveLength(expected.length)
  })
})

test.each<[string, File[], File[], string[]]>([
  ['the same parent', [A], [B], PARENT],
  ['… and the same number', [A, CARTS], [B, ORDERS], ['number 0042', ...PARENT]],
  ['nothing with other parents', [A], [django('0042_b', ['0040_old'])], []],
  ['nothing if one builds on the other', [A], [B, django('0043_c', ['0042_a'])], []],
  ['nothing if one joins both', [A], [B, merge('0043_merge', '0042_b', '0042_a')], []],
  ['the parent if one joins others', [merge('0042_merge', '0041_users', '0041_q')], [B], PARENT],
  ['… after it', [A, merge('0043_merge', '0042_a', '0042_old')], [B], PARENT],
  ['nothing if one stands for others, so that it has no parent', [django('0042_a', [])], [B], []],
  ['nothing in a migration of unknown patch', [unread('0042_a')], [unread('0042_b')], []],
  ['nothing with one migration under two names', [A], [A], []],
  ['the same parent in Alembic', [alembic('aa', 'pp')], [alembic('bb', 'pp')], ['parent pp']],
  [
    'nothing if a tuple joins both',
    [alembic('aa', 'pp')],
    [alembic('bb', 'pp'), alembic('cc', 'aa', 'bb')],
    [],
  ],
  ['nothing if a tuple has a parent in common', [alembic('aa', 'pp', 'qq')], [alembic('bb', 'pp')], []],
  [
    'the parent if a tuple joins another one',
    [alembic('aa', 'pp'), alembic('cc', 'aa', 'qq')],
    [alembic('bb', 'pp')],
    ['parent pp'],
  ],
])('two sides take, either way round %s', (_, yours, theirs, expected) => {
  expect(shared(yours, theirs)).toEqual(expected)
  expect(shared(theirs, yours)).toEqual(expected)
})

test('a directory is numbered as the settings say', () => {
  const notes = ['a', 'b'].map((name) => [file(`notes/04-${name}.md`)]) as [File[], File[]]
  expect(shared(...notes, { ...rules, isNumbered: () => true })).toEqual(['number 04'])
  expect(shared([CARTS], [ORDERS], { ...rules, isNumbered: () => false })).toEqual([])
})

const number = {
  kind: 'number',
  ...{ directory: 'db/migrations', value: '0042', yours: '0042_orders.sql', their_own: null },
} as const
const parent = {
  kind: 'parent',
  ...{ directory: 'shop/migrations', value: '0041_users', yours: '0042_b.py', their_own: '0042_a' },
} as const

test.each<[string, File[], typeof number | typeof parent, number]>([
  ['the number', [ORDERS], number, 1],
  ['… under a new name', [numbered('0042_buys.sql')], number, 1],
  ['no number after a renumbering', [numbered('0043_orders.sql')], number, 0],
  ['the parent', [B], parent, 1],
  ['no parent after a change of it', [django('0043_b', ['0042_a'])], parent, 0],
  ['the parent if other heads are joined', [B, merge('0043_merge', '0042_old', '0042_b')], parent, 1],
  ['no parent once both are joined', [B, merge('0043_merge', '0042_a', '0042_b')], parent, 0],
])('after a merge, a side still takes %s', (_, files, sequence, count) => {
  expect(stillTaken(files, [sequence])).toHaveLength(count)
})

const migrates = { migration: { own: '0042_a', parents: INITIAL, is_merge: false } }
test.each<[string, typeof number | typeof parent, string, File[], string | null]>([
  ['the parent of another one', parent, '0042_a.py', [B, A], '0042_a'],
  ['no parent if its patch is unknown', parent, '0042_a.py', [unread('0042_a')], null],
  ['no parent after it left', parent, '0042_a.py', [B], null],
  ['no parent of a number', number, '0042_a.py', [file('db/migrations/0042_a.py', migrates)], null],
])('a new migration is %s', (_, finding, name, files, expected) => {
  expect(successorOf(finding, name, files)).toBe(expected)
})

test('of sides with thousands of migrations and parents, ten are found, and no migration is compared with each other one', () => {
  let reads = 0
  const many = (side: string) =>
    Array.from({ length: 200 }, (_, index) => {
      const parents = Array.from({ length: 10 }, (_, at) => `p${index * 10 + at}`)
      const counted = new Proxy(parents, {
        get(target, key) {
          reads += 1
          return Reflect.get(target, key)
        },
      })
      return django(`${side}${index}`, counted)
    })
  const found = shared(many('mine'), many('its'))
  expect(found).toHaveLength(10)
  expect(reads).toBeLessThan(200 * 200)
})

const SAME_PARENT: FindingOf<'parent'> = {
  ...{ kind: 'parent', directory: 'shop/migrations', parent: '0041_users' },
  ...{ yours: '0042_orders.py', theirs: '0042_carts.py' },
}

test.each<[string, TakenFinding, string | null, string | null]>([
  ['a number', NUMBER, null, 'git mv db/migrations/0042_orders.sql db/migrations/0043_orders.sql'],
  ['a number in the root', { ...NUMBER, directory: '' }, null, 'git mv 0042_orders.sql 0043_orders.sql'],
  ['a number without a next one', { ...NUMBER, next: null }, null, null],
  ['a name that a shell would expand', { ...NUMBER, yours: '0042_$(rm).sql' }, null, null],
  ['a name with a space', { ...NUMBER, yours: '0042_my orders.sql' }, null, null],
  ['a directory that looks like an option', { ...NUMBER, directory: '-f' }, null, null],
  ['a parent of Django', SAME_PARENT, '0042_carts', 'dependencies = [("shop", "0042_carts")]'],
  [
    'a parent of Alembic',
    { ...SAME_PARENT, directory: 'alembic/versions' },
    '1f2e',
    'down_revision = "1f2e"',
  ],
  ['a parent whose successor is unknown', SAME_PARENT, null, null],
  ['a successor with quotes', SAME_PARENT, '0042_"x', null],
])('%s', (_, sequence, successor, fix) => {
  expect(takenFix(sequence, successor)).toBe(fix)
})

test('the sentence names the parent on which both build, and the files', () => {
  const said = saidIn([SAME_PARENT]).map(({ finding, words }) => words.sentence(finding, '#12', String))
  expect(said).toEqual([
    '#12 builds on 0041_users in shop/migrations too (yours: 0042_orders.py, theirs: 0042_carts.py)',
  ])
})
