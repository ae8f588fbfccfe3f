/** Which names of files are numbered, what the next number is, and how a file is renamed to it. */
import { describe, expect, test } from 'vitest'
import {
  isNamedForNumbers,
  nextNumber,
  numberKey,
  numberOf,
  renumbered,
} from '../../src/vocabulary/file-number.ts'

describe('the number in a name', () => {
  test.each([
    ['db/migrations/0042_carts.sql', '0042'],
    ['db/migrate/000001_carts.up.sql', '000001'],
    ['migrations/00007_carts.sql', '00007'],
    ['db/migration/V1.2__carts.sql', '1.2'],
    ['db/migration/V1_2__carts.sql', '1.2'],
    ['db/migration/U3__carts.sql', '3'],
    ['doc/adr/0012-use-postgres.md', '0012'],
    ['docs/adr/ADR-012-use-postgres.md', '012'],
    ['docs/decisions/12.md', '12'],
    ['peps/pep-0700.rst', '0700'],
    ['0042_carts.sql', '0042'],
  ])('of %s is %s', (path, value) => {
    expect(numberOf(path)?.value).toBe(value)
  })

  test.each([
    ['a timestamp of Rails', 'db/migrate/20260102030405_carts.rb'],
    ['a timestamp of Laravel', 'database/migrations/2026_01_02_030405_carts.php'],
    ['a timestamp of node-pg-migrate', 'migrations/1700000000000_carts.js'],
    ['a timestamp of EF Core', 'Migrations/20260102030405_Carts.cs'],
    ['a timestamp of Prisma', 'prisma/migrations/20260102030405_carts/migration.sql'],
    ['a timestamp of Flyway', 'db/migration/V20260102030405__carts.sql'],
    ['a repeatable migration of Flyway', 'db/migration/R__views.sql'],
    ['a revision of Alembic', 'alembic/versions/1975ea83b712_carts.py'],
    ['a date', 'docs/decisions/2026-01-02-carts.md'],
    ['a version', 'versions/2.58.1.md'],
    ['a fragment of a changelog', 'changelog.d/1234.feature.md'],
    ['a news fragment', 'newsfragments/1234.bugfix'],
    ['an image', 'docs/adr/0012-carts.png'],
    ['a fixture', 'test/fixtures/0042_carts.sql'],
    ['a test', 'db/tests/migrations/0042_carts.sql'],
    ['a post', 'posts/12-carts.md'],
    ['a proposal without a number yet', 'rfcs/0000-carts.md'],
    ['a prefix of five characters', 'migrations/carts0042_x.sql'],
    ['a number at the end', 'migrations/0042carts.sql'],
    ['a name without a number', 'migrations/max_migration.txt'],
  ])('is none in %s', (_, path) => {
    expect(numberOf(path)).toBeNull()
  })
})

test.each([
  ['db/migrations/0042_a.sql', 'db/migrations/42_b.sql', true],
  ['db/migration/V1.2__a.sql', 'db/migration/v1.02__b.sql', false],
  ['db/migration/V1.2__a.sql', 'db/migration/V1_2__b.sql', true],
  ['db/migration/V1.2__a.sql', 'db/migration/U1.2__b.sql', false],
  ['db/migration/V10__a.sql', 'db/migration/V10.0_0__b.sql', true],
  ['db/migration/V10__a.sql', 'db/migration/V10.0.1__b.sql', false],
  ['adr/ADR-7-a.md', 'adr/adr-07-b.md', true],
  ['adr/7-a.md', 'decisions/7-b.md', false],
])('%s and %s take the same number: %s', (one, other, isSame) => {
  const [a, b] = [one, other].map((path) => numberOf(path))
  expect(a && b ? numberKey(a) === numberKey(b) : false).toBe(isSame)
})

test.each([
  [[], '0001'],
  [['0041', '0042', '0007'], '0043'],
  [['9'], '10'],
  [['0999'], '1000'],
  [['1.2', '1.10', '1.9'], '1.11'],
  [['1.2', '2'], '3'],
  [['0041', '42', '042'], '43'],
  [['0041', '0042', '9999'], '0043'],
  [['0042', '9999998', '9999999'], '0043'],
  [['0001', '5000', '5001'], '5002'],
  [['9999'], '10000'],
])('after %j comes %s', (values, next) => {
  expect(nextNumber(values)).toBe(next)
})

test.each([
  ['0042_carts.sql', '0043', '0043_carts.sql'],
  ['V1_2__carts.sql', '1.3', 'V1_3__carts.sql'],
  ['V1.2__carts.sql', '1.3', 'V1.3__carts.sql'],
  ['ADR-012-carts.md', '013', 'ADR-013-carts.md'],
  ['carts.sql', '0043', null],
])('%s is renamed with %s to %s', (name, value, renamed) => {
  expect(renumbered(name, value)).toBe(renamed)
})

test.each([
  ['db/migrations', true],
  ['src/main/resources/db/migration', true],
  ['docs/ADR', true],
  ['shop/shop_migrations/events', true],
  ['db/Data-Migration', true],
  ['src/immigrations', false],
  ['src/migrations_old', false],
  ['versions/2026', true],
  ['a/versions/b/c', false],
  ['docs/guides', false],
  ['', false],
])('%s is named for numbers: %s', (directory, isNamed) => {
  expect(isNamedForNumbers(directory)).toBe(isNamed)
})
