/** Pagination of lists: complete, without duplicates, and stable while records are created and deleted. */
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { type TestRepository, useRepository } from '../support/repository.ts'

const { service, repo } = useRepository()

interface List {
  address: string
  table: string
  add(): Promise<string>
}
const LISTS: Record<string, (of: TestRepository) => List> = {
  activities: (of) => ({ address: '/activity', table: 'activities', add: () => of.createActivity({}) }),
  notables: (of) => ({ address: '/notables', table: 'notables', add: () => of.createNotable({}) }),
}

async function page(address: string, query: string, cursor: string | null) {
  const at = cursor === null ? '' : `&cursor=${cursor}`
  const { status, body } = await repo.request('GET', `${address}?${query}${at}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return {
    ids: body.items.map(({ id }: { id: string }) => id) as string[],
    next: body.next_cursor as string | null,
  }
}

/** Returns the ids of each page. `between` runs before each further page, with the ids so far. */
async function walk(
  address: string,
  query: string,
  between: (shown: string[], turn: number) => Promise<unknown> = async () => {},
): Promise<string[][]> {
  const pages: string[][] = []
  for (let cursor: string | null = null; ; ) {
    const { ids, next } = await page(address, query, cursor)
    pages.push(ids)
    if (next === null) return pages
    cursor = next
    await between(pages.flat(), pages.length)
  }
}

async function addMany(list: List, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++) ids.unshift(await list.add())
  return ids
}

const remove = (list: List, id: string) =>
  service.db.execute(sql`delete from ${sql.identifier(list.table)} where repo_id = ${repo.id} and id = ${id}`)

describe.each(Object.keys(LISTS))('paging through %s', (name) => {
  let list: List

  beforeEach(() => {
    list = LISTS[name]?.(repo) as List
  })

  test.each([
    [7, [7]],
    [6, [6, 1]],
    [3, [3, 3, 1]],
  ])('with pages of %i returns each record once, newest first', async (limit, lengths) => {
    const ids = await addMany(list, 7)
    const pages = await walk(list.address, `limit=${limit}`)
    expect(pages.flat()).toEqual(ids)
    expect(pages.map(({ length }) => length)).toEqual(lengths)
  })

  test('never repeats and never skips while others create, archive and delete', async () => {
    const stable = new Set<string>()
    const passing: string[] = []
    for (let index = 0; index < 24; index++) {
      const id = await list.add()
      if (index % 3 === 0) passing.push(id)
      else stable.add(id)
    }
    let walking = true
    const disturb = async () => {
      while (walking) {
        passing.push(await list.add())
        const old = passing.shift() as string
        if (passing.length % 2 === 0) await remove(list, old)
        else await repo.request('POST', `${list.address}/${old}/archive`)
        passing.push(await list.add())
      }
    }
    const disturbing = Promise.all([disturb(), disturb()])
    const walks = await Promise.all([2, 5].map((limit) => walk(list.address, `limit=${limit}`)))
    walking = false
    await disturbing
    for (const pages of walks) {
      const shown = pages.flat()
      expect(new Set(shown).size).toBe(shown.length)
      expect(shown.filter((id) => stable.has(id))).toEqual([...stable].reverse())
    }
  })
})

describe('paging through filtered activities', () => {
  test('continues while records behind the cursor stop matching', async () => {
    const ids = await addMany(LISTS.activities?.(repo) as List, 6)
    const pages = await walk('/activity', 'status=active&limit=2', async (shown) => {
      for (const id of shown) await repo.patch(id, { status: 'paused' })
    })
    expect(pages.flat()).toEqual(ids)
  })

  test('ends when the remaining activities have expired', async () => {
    const ids = await addMany(LISTS.activities?.(repo) as List, 4)
    const pages = await walk('/activity', 'limit=2', async () => service.clock.advance(86_400_000))
    expect(pages).toEqual([ids.slice(0, 2), []])
    const expired = await walk('/activity', 'status=expired&limit=3')
    expect(expired).toEqual([ids.slice(0, 3), ids.slice(3)])
  })
})

test('a page ends before its items have more than 2 MB', async () => {
  const long = 'a'.repeat(1000)
  const paths = Array.from({ length: 900 }, (_, n) => `src/${n}/${long}`)
  const made: string[] = []
  for (let count = 0; count < 5; count += 1) made.unshift(await repo.createNotable({ scope: { paths } }))
  const pages = await walk('/notables', 'limit=100')
  expect(pages.map(({ length }) => length)).toEqual([2, 2, 1])
  expect(pages.flat()).toEqual(made)
})
