/** When two sides share the parent of a migration of Django or Alembic. */
import { expect, test } from 'vitest'
import { migrationIn } from '../../src/server/line-verdicts/change.ts'
import { sharedTaken, takingOf } from '../../src/server/numbers/taken.ts'
import { rulesOf } from '../../src/server/overlap/rules.ts'
import { DEFAULT_SETTINGS } from '../../src/vocabulary/contract/settings.ts'

const { numbers } = rulesOf(DEFAULT_SETTINGS, [])

function added(path: string, ...lines: string[]) {
  const patch = [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join('\n')
  return {
    path,
    previous_path: null,
    status: 'added' as const,
    ...migrationIn({ path, status: 'added', patch }),
  }
}
const django = (own: string, ...parents: string[]) =>
  added(
    `shop/migrations/${own}.py`,
    ...[`dependencies = [${parents.map((parent) => `("shop", "${parent}")`).join(', ')}]`],
  )
const squashed = (own: string, parent: string) =>
  added(`shop/migrations/${own}.py`, 'replaces = [("shop", "x")]', `dependencies = [("shop", "${parent}")]`)
const alembic = (own: string, down_revision: string) =>
  added(`db/versions/${own}_words.py`, `revision = "${own}"`, `down_revision = ${down_revision}`)

type Files = ReturnType<typeof added>[]
test.each<[what: string, yours: Files, theirs: Files, parents: string[]]>([
  ['one parent', [django('0042_a', '0041_p')], [django('0042_b', '0041_p')], ['0041_p']],
  [
    'a merge that joins both',
    [django('0042_a', '0041_p')],
    [django('0042_b', '0041_p'), django('0043_merge', '0042_a', '0042_b')],
    [],
  ],
  [
    'a merge that joins others, and a successor of one of them',
    [django('0042_merge', '0041_p', '0041_q')],
    [django('0042_b', '0041_p')],
    ['0041_p'],
  ],
  [
    'a branch with a merge of its own that the other does not build on',
    [django('0042_a', '0041_p'), django('0043_merge', '0042_a', '0042_old')],
    [django('0042_b', '0041_p')],
    ['0041_p'],
  ],
  ['one that stands for others', [squashed('0042_a', '0041_p')], [django('0042_b', '0041_p')], []],
  [
    'a tuple of Alembic that joins both',
    [alembic('aa', '"pp"')],
    [alembic('bb', '"pp"'), alembic('cc', '("aa", "bb")')],
    [],
  ],
  [
    'a tuple of Alembic with one parent in common',
    [alembic('aa', '("pp", "qq")')],
    [alembic('bb', '"pp"')],
    [],
  ],
  [
    'a branch with a tuple that joins another one',
    [alembic('aa', '"pp"'), alembic('cc', '("aa", "qq")')],
    [alembic('bb', '"pp"')],
    ['pp'],
  ],
])('shared parents: %s', (_, yours, theirs, parents) => {
  const shared = (one: Files, other: Files) =>
    sharedTaken(takingOf(one), takingOf(other), numbers).map(({ value }) => value)
  expect(shared(yours, theirs)).toEqual(parents)
  expect(shared(theirs, yours)).toEqual(parents)
})
