/** Which migration a new file of Django or Alembic builds on. */
import { describe, expect, test } from 'vitest'
import { readMigration } from '../../src/engine/lines/migration.ts'

const [LONG, TEN] = ['x'.repeat(200), [...'abcdefghij']]
const patchOf = (...lines: string[]) =>
  [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join('\n')
const django = (...lines: string[]) => readMigration('src/shop/migrations/0042_carts.py', patchOf(...lines))
const alembic = (...lines: string[]) =>
  readMigration('alembic/versions/1f2e_carts.py', patchOf('revision = "1f2e"', ...lines))

describe('Django', () => {
  test.each<[string, string[], string[], boolean]>([
    ['of its own app', ["    dependencies = [('shop', '0041_users')]"], ['0041_users'], false],
    [
      'on several lines',
      [
        '    dependencies = [',
        '        ("shop", "0041_users"),',
        '        ("auth", "0001_initial"),',
        '    ]',
      ],
      ['0041_users'],
      false,
    ],
    ['none of its own app', ['dependencies = [("auth", "0001_initial")]'], [], false],
    ['none at all', ['dependencies = []'], [], false],
    ['two: a merge', ['dependencies = [("shop", "41_a"), ("shop", "41_b")]'], ['41_a', '41_b'], true],
    [
      'with an annotation',
      ['dependencies: ClassVar[list[tuple[str, str]]] = [("shop", "41_a")]'],
      ['41_a'],
      false,
    ],
    [
      'none if it stands for others',
      ['    replaces = [("shop", "0040_a")]', '    dependencies = [("shop", "0039_b")]'],
      [],
      false,
    ],
    ['not one of a later list', ['    dependencies = []', '    x = [("shop", "0041_users")]'], [], false],
  ])('builds on the migration %s', (_, lines, parents, is_merge) => {
    expect(django(...lines)).toEqual({ own: '0042_carts', parents, is_merge })
  })

  test('is none without dependencies, or in a file with another name', () => {
    expect(django('print("hello")')).toBeNull()
    const patch = patchOf('    dependencies = [("shop", "0041_users")]')
    expect(readMigration('src/shop/migrations/helpers.py', patch)).toBeNull()
  })
})

describe('Alembic', () => {
  test.each<[string, string[], string[], boolean]>([
    ['in double quotes', ['down_revision = "0a0a"'], ['0a0a'], false],
    ['in single quotes', ["down_revision = '0a0a'"], ['0a0a'], false],
    ['with an annotation', ['down_revision: Union[str, None] = "0a0a"'], ['0a0a'], false],
    ['in parentheses', ['down_revision = ("0a0a")'], ['0a0a'], false],
    ['before a comment', ['down_revision = "0a0a"  # users'], ['0a0a'], false],
    ['none', ['down_revision = None'], [], false],
    ['two: a merge', ['down_revision = ("0a0a", "1b1b")'], ['0a0a', '1b1b'], true],
    ['two on lines', ['down_revision = (', '    "0a0a",', '    "1b1b",', ')'], ['0a0a', '1b1b'], true],
    ['of a long name, but none too long', [`down_revision = ("${LONG}", "${LONG}x")`], [LONG], true],
    ['of ten at most', [`down_revision = ${JSON.stringify([...TEN, 'k'])}`], TEN, true],
    ['none if it starts a branch', ['down_revision = "0a0a"', 'branch_labels = ("tills",)'], [], false],
    ['of no branch', ['down_revision = "0a0a"', 'branch_labels = None'], ['0a0a'], false],
  ])('builds on the revision %s', (_, lines, parents, is_merge) => {
    expect(alembic(...lines)).toEqual({ own: '1f2e', parents, is_merge })
  })

  test('is none without a revision of its own, and in another language', () => {
    expect(readMigration('a.py', patchOf('down_revision = "0a0a"'))).toBeNull()
    expect(readMigration('a.sql', patchOf('revision = "1f2e"', 'down_revision = "0a0a"'))).toBeNull()
  })
})

test('a file of 500,000 characters is read in linear time', () => {
  const text = `dependencies = [${'("shop", "'.repeat(50_000)}`
  expect(django(text)).toEqual({ own: '0042_carts', parents: [], is_merge: false })
})
