/** How a side gives way whose number or parent is taken. */
import { expect, test } from 'vitest'
import { saidIn, takenFix } from '../../src/vocabulary/finding.ts'
import type { FindingOf, TakenFinding } from '../../src/vocabulary/finding-kinds.ts'
import { SAME_NUMBER as NUMBER } from '../support/conclusion.ts'

const PARENT: FindingOf<'parent'> = {
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
  ['a parent of Django', PARENT, '0042_carts', 'dependencies = [("shop", "0042_carts")]'],
  ['a parent of Alembic', { ...PARENT, directory: 'alembic/versions' }, '1f2e', 'down_revision = "1f2e"'],
  ['a parent whose successor is unknown', PARENT, null, null],
  ['a successor with quotes', PARENT, '0042_"x', null],
])('%s', (_, sequence, successor, fix) => {
  expect(takenFix(sequence, successor)).toBe(fix)
})

test('the sentence names what is taken, by whom, and what is free', () => {
  const quote = (text: string) => `<${text}>`
  const [number, parent] = saidIn([NUMBER, PARENT]).map(({ finding, words }) =>
    words.sentence(finding, '#12', quote),
  )
  expect(number).toBe(
    '<0042> in <db/migrations> is taken by #12 (<0042_carts.sql>); the next free number is <0043>',
  )
  expect(parent).toBe(
    '#12 builds on <0041_users> in <shop/migrations> too (yours: <0042_orders.py>, theirs: <0042_carts.py>)',
  )
})
