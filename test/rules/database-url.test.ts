/** The hosts in `DATABASE_URL`, one or several. */
import { expect, test } from 'vitest'
import { readDatabaseUrl } from '../../src/server/platform/config-values.ts'

test.each([
  ['postgres://db/name', ['db:5432'], 'postgres://db/name'],
  [
    'postgres://ada:pw@db:6000/name?sslmode=require',
    ['db:6000'],
    'postgres://ada:pw@db:6000/name?sslmode=require',
  ],
  [
    'postgresql://ada:p%40w@one:1,two:2,three/name?a=b,c',
    ['one:1', 'two:2', 'three:5432'],
    'postgresql://ada:p%40w@one:1/name?a=b,c',
  ],
  ['postgres://[::1]:6000,[::2]/name', ['::1:6000', '::2:5432'], 'postgres://[::1]:6000/name'],
  ['postgres:///name', ['localhost:5432'], 'postgres:///name'],
])('%s names %j', (text, addresses, url) => {
  const read = readDatabaseUrl(text)
  expect(read?.addresses.map(({ host, port }) => `${host}:${port}`)).toEqual(addresses)
  expect(read?.url).toBe(url)
})

test.each([
  'mysql://db/name',
  'db',
  'postgres:db',
  'postgres://one:1,two:port/name',
  `postgres://${'a,'.repeat(10)}a/name`,
])('%s is not a database URL', (text) => expect(readDatabaseUrl(text)).toBeUndefined())
