/** Numbers and parents that two sides take, and directories that one of them moves (docs/contract/numbers.md). */
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { PullGiven } from '../support/github-repository.ts'
import type { PullFile } from '../support/github-state.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'

const { fixture, repository, useSettings } = usePullRequests()

const added = (filename: string, ...lines: string[]): PullFile => {
  const text = lines.length > 0 ? lines : [`-- ${filename}`]
  return {
    filename,
    status: 'added',
    patch: [`@@ -0,0 +1,${text.length} @@`, ...text.map((line) => `+${line}`)].join('\n'),
  }
}
const moved = (previous_filename: string, filename: string): PullFile => ({
  filename,
  previous_filename,
  status: 'renamed',
})
const django = (name: string, ...parents: string[]) =>
  added(
    `shop/migrations/${name}.py`,
    'class Migration(migrations.Migration):',
    '    dependencies = [',
    ...parents.map((parent) => `        ("shop", "${parent}"),`),
    '        ("auth", "0001_initial"),',
    '    ]',
  )
const alembic = (name: string, revision: string, down: string) =>
  added(`alembic/versions/${name}.py`, `revision = "${revision}"`, `down_revision = ${down}`)
const open = (head: string, files: (string | PullFile)[], pull: PullGiven = {}) =>
  repository.open({ head, title: head, files, ...pull })
const get = async (path: string) => (await repository.request('GET', path)).body
const idOf = async (branch: string) => (await get(`/activity?branch=${branch}`)).items[0].id
const check = async (body: object) => (await repository.request('POST', '/activity/check', { body })).body
const adds = (...paths: string[]) => ({
  scope: { changes: paths.map((path) => ({ path, status: 'added' })) },
})
const merge = async (number: number) => {
  repository.githubRepo.merge(number)
  await repository.deliver(number, 'closed')
  await repository.advance(2 * QUIET_MS)
}
const CARTS = 'db/migrations/0042_carts.sql'
const ORDERS = 'db/migrations/0042_orders.sql'

describe('two pull requests that take the same number', () => {
  test('collide with severity high, and the later one is told the next free number and the command', async () => {
    await repository.writeFile('db/migrations/0041_users.sql', 'create table users ();')
    const carts = await open('carts', [added(CARTS)])
    const orders = await open('orders', [added(ORDERS)])
    const text = repository.comment(orders)
    expect(text).toContain('`0042` in `db/migrations` is taken by')
    expect(text).toContain('(`0042_carts.sql`); the next free number is `0043`')
    expect(text).toContain('`git mv db/migrations/0042_orders.sql db/migrations/0043_orders.sql`')
    expect(text).toContain('Severity: high')
    expect(repository.comment(carts)).toBeUndefined()
  })

  test('are in the answers of the service', async () => {
    await open('carts', [added(CARTS)])
    await open('orders', [added(ORDERS)])
    const [carts, orders] = [await idOf('carts'), await idOf('orders')]
    expect((await get('/overlaps')).items).toMatchObject([
      {
        activity_ids: [carts, orders],
        severity: 'high',
        sequence: [{ value: '0042', yours: '0042_carts.sql' }],
      },
    ])
    expect(await check(adds('db/migrations/0042_tills.sql'))).toMatchObject({
      severity: 'high',
      related_activity_ids: [orders, carts],
      relationships: { [carts]: 'collision', [orders]: 'collision' },
      matches: [
        {
          id: orders,
          severity: 'high',
          lines: null,
          sequence: [
            {
              kind: 'same_number',
              directory: 'db/migrations',
              value: '0042',
              yours: '0042_tills.sql',
              theirs: '0042_orders.sql',
              next: '0043',
            },
          ],
        },
        { id: carts },
      ],
    })
  })

  test('are told what is free after all live work and the base branch', async () => {
    await repository.writeFile('db/migrations/0057_users.sql', 'create table users ();')
    await open('far', [added('db/migrations/0060_far.sql')])
    await open('carts', [added(CARTS)])
    const orders = await open('orders', [added(ORDERS)])
    expect(repository.comment(orders)).toContain('the next free number is `0061`')
  })

  test('name no text of others in the recommended action', async () => {
    await open('carts', [added(CARTS)])
    const { reason, recommended_action } = await check(adds(ORDERS))
    expect(reason).toContain(
      'To give way: “git mv db/migrations/0042_orders.sql db/migrations/0043_orders.sql”.',
    )
    expect(recommended_action).toMatch(/^Reserve another number for your file, or talk to [\w-]+ \(#1\)/)
  })

  test('are one pair of the ledger, which a renumbering before any merge resolves', async () => {
    await open('carts', [added(CARTS)])
    const orders = await open('orders', [added(ORDERS)])
    expect((await get('/signal')).recent).toMatchObject([
      { kind: 'sequence', verdict: null, outcome: 'open' },
    ])
    await repository.push(orders, [added('db/migrations/0043_orders.sql')])
    await repository.advance(2 * QUIET_MS)
    expect(repository.comment(orders)).toContain('**No overlap any more.**')
    expect((await get('/signal')).pairs).toMatchObject({ shown: 1, resolved: 1 })
  })

  test.each([
    ['under the same name', [added(CARTS)]],
    ['in another directory', [added('api/migrations/0042_orders.sql')]],
    ['in a directory of tests', [added('test/migrations/0042_orders.sql')]],
    ['as timestamps', [added('db/migrations/20260102_orders.sql')]],
    ['by changing an older file', ['db/migrations/0042_orders.sql']],
  ])('do not if they do so %s', async (_, files) => {
    await open('carts', [added(CARTS), added('db/migrations/20260102_carts.sql')])
    await open('orders', files)
    const { items } = await get('/overlaps')
    expect(items.flatMap(({ sequence }: { sequence: object[] }) => sequence)).toEqual([])
  })

  test('do not if one is stacked on the other, or is for another base branch', async () => {
    await open('carts', [added(CARTS)])
    await open('orders', [added(ORDERS)], { base: 'carts' })
    await open('backport', [added('db/migrations/0042_fix.sql')], { base: 'release' })
    expect((await get('/overlaps')).items).toEqual([])
  })
})

describe('after the merge of one', () => {
  test('the other hears at once that its number is taken, although it was not told before', async () => {
    const carts = await open('carts', [added(CARTS)])
    const orders = await open('orders', [added(ORDERS)])
    await merge(orders)
    const text = repository.comment(carts)
    expect(text).toContain('`0042` in `db/migrations` is taken on the base branch by')
    expect(text).toContain('(`0042_orders.sql`); the next free number is `0043`')
    expect(text).toContain('`git mv db/migrations/0042_carts.sql db/migrations/0043_carts.sql`')
  })

  test('hears it until it is renumbered, which makes the pair true', async () => {
    const carts = await open('carts', [added(CARTS)])
    const orders = await open('orders', [added(ORDERS)])
    await merge(carts)
    await repository.push(orders, [added(ORDERS), 'src/pay.ts'])
    await repository.advance(2 * QUIET_MS)
    expect(repository.comment(orders)).toContain('is taken on the base branch by')
    await repository.push(orders, [added('db/migrations/0043_orders.sql')])
    await repository.advance(2 * QUIET_MS)
    expect(repository.comment(orders)).toContain('**No overlap any more.**')
    expect((await get('/signal')).pairs).toMatchObject({ shown: 1, came_true: 1, wrong: 0 })
  })

  test('the merge of the other makes the pair true', async () => {
    const carts = await open('carts', [added(CARTS)])
    const orders = await open('orders', [added(ORDERS)])
    await merge(carts)
    await merge(orders)
    expect((await get('/signal')).pairs).toMatchObject({ shown: 1, came_true: 1, wrong: 0 })
  })

  test('no comment is posted about two pull requests of one author', async () => {
    const carts = await open('carts', [added(CARTS)], { author: 'ben' })
    const orders = await open('orders', [added(ORDERS)], { author: 'ben' })
    await merge(carts)
    expect(repository.comment(orders)).toBeUndefined()
  })
})

describe('migrations of Django and Alembic are compared by their parents', () => {
  test('the same parent breaks the graph', async () => {
    await open('carts', [django('0042_carts', '0041_users')])
    const orders = await open('orders', [django('0042_orders', '0041_users')])
    const text = repository.comment(orders)
    expect(text).toContain('builds on `0041_users` in `shop/migrations` too')
    expect(text).toContain('`dependencies = [("shop", "0042_carts")]`')
  })

  test('a chained one with the same number does not', async () => {
    await open('carts', [django('0042_carts', '0041_users')])
    await open('orders', [django('0042_orders', '0042_carts')])
    await open('tills', [django('0042_tills', '0042_orders')])
    expect((await get('/overlaps')).items).toEqual([])
  })

  test('a merge that does not join both shares its parents', async () => {
    await open('carts', [django('0042_merge', '0041_users', '0041_tills')])
    await open('orders', [django('0042_orders', '0041_users')])
    const [{ sequence }] = (await get('/overlaps')).items
    expect(sequence).toMatchObject([{ kind: 'same_parent', value: '0041_users' }])
  })

  test('the down revision of Alembic is a parent', async () => {
    await open('carts', [alembic('1f2e_carts', '1f2e', '"0a0a"')])
    const orders = await open('orders', [alembic('3c4d_orders', '3c4d', "'0a0a'")])
    expect(repository.comment(orders)).toContain('`down_revision = "1f2e"`')
  })

  test('a merge of both heads is the answer, not a collision', async () => {
    await open('carts', [alembic('1f2e_carts', '1f2e', '"0a0a"')])
    await open('orders', [
      alembic('3c4d_orders', '3c4d', '"0a0a"'),
      alembic('5e6f_merge', '5e6f', '("1f2e", "3c4d")'),
    ])
    expect((await get('/overlaps')).items).toEqual([])
  })
})

describe('which directories are numbered', () => {
  test('follows from the settings', async () => {
    useSettings('number_directories: {"notes": true, "db/migrations": false}')
    await open('carts', [added('notes/12-carts.md'), added(CARTS)])
    await open('orders', [added('notes/12-orders.md'), added(ORDERS)])
    const [{ sequence }] = (await get('/overlaps')).items
    expect(sequence.map(({ directory }: { directory: string }) => directory)).toEqual(['notes'])
  })

  test.each([
    ['{"db/*": true, "db/old": false}', ['db/new']],
    ['{"db/old": true, "db/*": false}', ['db/old']],
  ])('follows the longest glob, in %s', async (globs, expected) => {
    useSettings(`number_directories: ${globs}`)
    const files = (name: string) => [added(`db/old/12-${name}.sql`), added(`db/new/12-${name}.sql`)]
    await open('carts', files('carts'))
    await open('orders', files('orders'))
    const [{ sequence }] = (await get('/overlaps')).items
    expect(sequence.map(({ directory }: { directory: string }) => directory)).toEqual(expected)
  })

  test('is learned from three files that pull requests added before', async () => {
    for (const number of [1, 2]) await open(`first-${number}`, [added(`notes/0${number}-first.md`)])
    await open('third', [added('notes/03-third.md')])
    await open('other', [added('notes/03-other.md')])
    expect((await get('/overlaps')).items).toEqual([])
    await open('fourth', [added('notes/04-fourth.md')])
    await open('fifth', [added('notes/04-fifth.md')])
    expect((await get('/overlaps')).items).toMatchObject([
      { sequence: [{ directory: 'notes', value: '04' }] },
    ])
  })
})

test('a repository learns a limited number of directories', async () => {
  const { id } = repository.githubRepo.repository
  const db = fixture.service.app.database.connection()
  await db.execute(sql`insert into learned_directories (repo_id, directory, files, last)
    select ${id}, 'learned/' || n, 1, 1 from generate_series(1, 10000) as n`)
  for (const number of [1, 2, 3, 4]) await open(`notes-${number}`, [added(`notes/0${number}-first.md`)])
  await open('other', [added('notes/04-other.md')])
  expect((await get('/overlaps')).items).toEqual([])
})

describe('a directory that one side moves', () => {
  const move = [moved('src/cart/a.ts', 'src/basket/a.ts'), moved('src/cart/b.ts', 'src/basket/b.ts')]

  test('while the other adds a file to it is shown with severity low, and never makes a comment', async () => {
    useSettings('comment: {min_severity: low, audience: both}')
    const mover = await open('mover', move)
    const adder = await open('adder', [added('src/cart/c.ts')])
    const { matches } = await check(adds('src/cart/d.ts'))
    expect(matches).toMatchObject([
      { id: await idOf('mover'), severity: 'low', moved: { from: 'src/cart', to: 'src/basket' } },
    ])
    expect([repository.comment(mover), repository.comment(adder)]).toEqual([undefined, undefined])
  })

  test('is none if a change stays there', async () => {
    await open('mover', [...move, 'src/cart/c.ts'])
    expect((await check(adds('src/cart/d.ts'))).matches).toEqual([])
  })
})

describe('a reserved number', () => {
  const reserve = async (id: string, directory = 'db/migrations') =>
    repository.request('POST', `/activity/${id}/number`, { body: { directory } })

  test('is the next free one, and the same again for the same activity', async () => {
    await repository.writeFile('db/migrations/0041_users.sql', 'create table users ();')
    await open('carts', [added(CARTS)])
    const id = await repository.createActivity({ branch: 'tills' })
    const first = await reserve(id)
    expect(first.status).toBe(201)
    expect(first.body).toEqual({
      number: '0043',
      directory: 'db/migrations',
      taken: [
        { number: '0042', by: '#1' },
        { number: '0041', by: 'base' },
      ],
    })
    const second = await reserve(id, './db/migrations/')
    expect(second.status).toBe(200)
    expect(second.body.number).toBe('0043')
  })

  test('is taken for others until its activity ends', async () => {
    const [one, two, three] = await Promise.all(
      ['one', 'two', 'three'].map((branch) => repository.createActivity({ branch })),
    )
    expect((await reserve(one as string)).body.number).toBe('0001')
    expect((await reserve(two as string)).body).toMatchObject({
      number: '0002',
      taken: [{ number: '0001', by: one }],
    })
    await repository.request('POST', `/activity/${two}/archive`)
    expect((await reserve(three as string)).body.number).toBe('0002')
  })

  test('is none that was merged since the base branch was listed', async () => {
    await repository.writeFile('db/migrations/0041_users.sql', 'create table users ();')
    const carts = await open('carts', [added(CARTS)])
    const [one, two] = [
      await repository.createActivity({ branch: 'one' }),
      await repository.createActivity({ branch: 'two' }),
    ]
    expect((await reserve(one)).body.number).toBe('0043')
    repository.githubRepo.write(CARTS, 'create table carts ();')
    repository.githubRepo.merge(carts)
    await repository.deliver(carts, 'closed')
    await repository.request('POST', `/activity/${one}/archive`)
    expect((await reserve(two)).body).toMatchObject({
      number: '0043',
      taken: [{ number: '0042', by: 'base' }],
    })
  })

  test('does not follow a number that leaves no next one', async () => {
    await repository.writeFile('db/migrations/0041_users.sql', 'create table users ();')
    await open('far', [added('db/migrations/9999999_far.sql')])
    const id = await repository.createActivity({ branch: 'tills' })
    expect((await reserve(id)).body.number).toBe('0042')
  })

  test('follows the default branch if the base branch was not pushed yet', async () => {
    await repository.writeFile('db/migrations/0041_users.sql', 'create table users ();')
    const id = await repository.createActivity({ branch: 'tills', base_branch: 'not-pushed' })
    expect((await reserve(id)).body.number).toBe('0042')
  })

  test('is used up by a file with it', async () => {
    const id = await repository.createActivity({ branch: 'tills' })
    expect((await reserve(id)).body.number).toBe('0001')
    await repository.request('PATCH', `/activity/${id}`, { body: adds('db/migrations/0001_tills.sql') })
    const next = await reserve(id)
    expect(next.status).toBe(201)
    expect(next.body.number).toBe('0002')
  })

  test('is refused where it makes no sense, and changes nothing', async () => {
    const id = await repository.createActivity({ branch: 'tills' })
    const up = await reserve(id, 'db/../x')
    expect(up.status).toBe(422)
    expect(up.body.error.param).toBe('directory')
    expect((await repository.request('POST', `/activity/${id}/number`, { body: {} })).status).toBe(400)
    await repository.writeFile('db/migrate/20260102030405_users.rb', 'class Users; end')
    const stamped = await reserve(id, 'db/migrate')
    expect(stamped.status).toBe(422)
    expect(stamped.body.error.message).toContain('named by timestamps')
    await repository.request('POST', `/activity/${id}/archive`)
    expect((await reserve(id)).status).toBe(409)
    expect((await reserve('act_00000000000000000000000000')).status).toBe(404)
  })
})
