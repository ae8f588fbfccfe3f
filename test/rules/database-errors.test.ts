/** The classification of database errors: 503 if the same request can succeed later, else 500. */
import { DrizzleQueryError } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { databaseUnavailable, faultOf, isDatabaseDown } from '../../src/server/platform/db/errors.ts'

const failed = (code: string, message = 'some text') =>
  new DrizzleQueryError('select 1', [], Object.assign(new Error(message), { code }))

test.each([
  ['the connection to another node of the cluster was lost', failed('08006'), true, false],
  [
    'another node of the cluster stopped while it responded',
    failed('XX000', 'server closed the connection unexpectedly\n\tThis probably means'),
    true,
    false,
  ],
  ['the server is shutting down', failed('57P01'), true, true],
  ['the server accepts no more connections', failed('53300'), true, true],
  ['the address refuses connections', failed('ECONNREFUSED'), true, true],
  ['the password of the database was changed', failed('28P01'), true, true],
  ['the database was renamed', failed('3D000'), true, true],
  ['the certificate of the database is out of date', failed('CERT_HAS_EXPIRED'), true, true],
  ['a statement took too long', failed('57014'), true, false],
  ['a page of the database is damaged', failed('XX001'), false, false],
  ['PostgreSQL has an internal error', failed('XX000', 'cache lookup failed'), false, false],
  ['a table is missing', failed('42P01'), false, false],
])('%s', (_, error, is_away, is_down) => {
  expect(databaseUnavailable(error) !== undefined).toEqual(is_away)
  expect(isDatabaseDown(error)).toEqual(is_down)
})

test('the log of a database error contains no message', () => {
  expect(faultOf(failed('XX000', 'server closed the connection unexpectedly'))).toEqual({
    fault: 'Error',
    code: '08006',
  })
})
