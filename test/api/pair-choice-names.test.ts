/** The pairs that `GET …/proofs` chooses by the names that one pull request takes away and another one uses. */
import { describe, expect, test } from 'vitest'
import { changed_names } from '../../src/server/changed-names/table.ts'
import type { FileGiven } from '../support/github-repository.ts'
import { usePullRequests } from '../support/pull-request-service.ts'
import { pushEvent } from '../support/webhooks.ts'

const { github, fixture, repository } = usePullRequests()

const headOf = (number: number) => repository.githubRepo.pull(number).head.sha
const choice = async (number: number) =>
  (await repository.request('GET', `/proofs?pull_request=${number}`)).body
const chosen = async (number: number) =>
  (await choice(number)).items.map(
    ({ pull_requests, reason, paths }: { pull_requests: number[]; reason: string; paths: string[] }) =>
      [pull_requests[1], reason, ...paths] as const,
  )
const file = (filename: string, line: number, added: string, removed = '# none'): FileGiven => ({
  filename,
  status: 'modified',
  patch: `@@ -${line} +${line} @@\n-${removed}\n+${added}`,
})

const withoutImport = file('app/pay.py', 1, '# nothing', 'from typing import List')
const withImported = file('app/pay.py', 900, '    bills: List[int]')
const withoutSymbol = file('app/pay.py', 1, '# nothing', 'def retry_all():')
const withSymbol = file('tests/shop.py', 1, 'from app.pay import retry_all')

/** How many names are stored. */
const stored = async () =>
  (await fixture.service.app.database.connection().select().from(changed_names)).filter(
    ({ repo_id }) => repo_id === repository.id,
  ).length

test('an import that is removed and used anew in the same file is chosen, from either side', async () => {
  const remover = await repository.openBranch('remover', withoutImport)
  const user = await repository.openBranch('user', withImported)
  expect(await chosen(user)).toEqual([[remover, 'import_removed', 'app/pay.py']])
  expect(await chosen(remover)).toEqual([[user, 'import_removed', 'app/pay.py']])
})

test('a symbol that is removed and used anew in another file is chosen, from either side', async () => {
  const remover = await repository.openBranch('remover', withoutSymbol)
  const user = await repository.openBranch('user', withSymbol)
  expect(await chosen(user)).toEqual([[remover, 'symbol_removed', 'tests/shop.py', 'app/pay.py']])
  expect(await chosen(remover)).toEqual([[user, 'symbol_removed', 'app/pay.py', 'tests/shop.py']])
})

test('a signature that is changed and called anew in another file is chosen, from either side', async () => {
  const changer = await repository.openBranch(
    'changer',
    file('app/pay.py', 1, 'def pay(a, b):', 'def pay(a):'),
  )
  const caller = await repository.openBranch('caller', file('app/b.py', 1, 'pay.pay(1)'))
  expect(await chosen(caller)).toEqual([[changer, 'signature_changed', 'app/b.py', 'app/pay.py']])
  expect(await chosen(changer)).toEqual([[caller, 'signature_changed', 'app/pay.py', 'app/b.py']])
})

test('a module that is renamed and imported anew in another file is chosen, from either side', async () => {
  const path = { filename: 'app/bill.py', previous_filename: 'app/pay.py', status: 'renamed' } as const
  const mover = await repository.openBranch('mover', { ...path, patch: null })
  const user = await repository.openBranch('user', withSymbol)
  expect(await chosen(user)).toEqual([[mover, 'path_removed', 'tests/shop.py', 'app/bill.py']])
  expect(await chosen(mover)).toEqual([[user, 'path_removed', 'app/bill.py', 'tests/shop.py']])
})

test('a constant that is changed and used anew in another file is chosen, from either side', async () => {
  const changer = await repository.openBranch(
    'changer',
    file('app/pay.py', 1, 'MAX_SIZE = 1', 'MAX_SIZE = 2'),
  )
  const user = await repository.openBranch('user', file('app/b.py', 1, 'from app.pay import MAX_SIZE'))
  expect(await chosen(user)).toEqual([[changer, 'definition_changed', 'app/b.py', 'app/pay.py']])
  expect(await chosen(changer)).toEqual([[user, 'definition_changed', 'app/pay.py', 'app/b.py']])
})

test('work that expired is not chosen', async () => {
  const HOUR_MS = 3_600_000
  await repository.openBranch('remover', withoutImport)
  const user = await repository.openBranch('user', withImported)
  const { items } = (await repository.request('GET', '/activity?branch=user')).body
  fixture.service.clock.advance(20 * HOUR_MS)
  await repository.request('POST', `/activity/${items[0].id}/heartbeat`)
  expect(await chosen(user)).toHaveLength(1)
  fixture.service.clock.advance(5 * HOUR_MS)
  expect(await choice(user)).toMatchObject({ items: [], complete: true })
})

test('an import comes before a symbol, and a symbol before lines that are near', async () => {
  const near = await repository.openBranch('near', file('src/a.py', 20, 'a()'))
  const symbol = await repository.openBranch('symbol', withSymbol)
  const imported = await repository.openBranch('imported', withImported)
  const own = await repository.openBranch(
    'own',
    file('src/a.py', 10, 'b()'),
    withoutImport,
    file('app/pay.py', 40, '# nothing', 'def retry_all():'),
  )
  expect((await chosen(own)).map(([number]: [number]) => number)).toEqual([imported, symbol, near])
})

test('names alone make no comment', async () => {
  await repository.openBranch('remover', withoutSymbol)
  const user = await repository.openBranch('user', withSymbol)
  expect(repository.comment(user)).toBeUndefined()
})

test('a push that uses the name no more takes the pair away', async () => {
  const remover = await repository.openBranch('remover', withoutSymbol)
  const user = await repository.openBranch('user', withSymbol)
  await repository.push(user, [file('tests/shop.py', 1, 'from app.pay import pay_all')])
  expect(await chosen(remover)).toEqual([])
})

describe('no pair is', () => {
  test('one that git cannot merge', async () => {
    const remover = await repository.openBranch('remover', withoutSymbol, file('src/a.py', 5, 'a()', 'x()'))
    await repository.openBranch('user', withSymbol, file('src/a.py', 5, 'b()', 'x()'))
    expect(await chosen(remover)).toEqual([])
  })

  test('work for another base branch', async () => {
    await repository.open({ head: 'backport', base: 'v1', files: [withoutSymbol] })
    expect(await chosen(await repository.openBranch('user', withSymbol))).toEqual([])
  })

  test('a stack', async () => {
    const below = await repository.openBranch('below', withoutSymbol)
    await repository.open({ head: 'above', base: 'below', files: [withSymbol] })
    expect(await chosen(below)).toEqual([])
  })

  test('a stack by its commits', async () => {
    const below = await repository.openBranch('below', withoutSymbol)
    const push = { ...repository.githubRepo.push('above'), commits: [headOf(below)] }
    await fixture.service.deliverAndRun(pushEvent(github, repository.full_name, push))
    await repository.openBranch('above', withSymbol)
    expect(await chosen(below)).toEqual([])
  })

  test('proved with these heads', async () => {
    const remover = await repository.openBranch('remover', withoutSymbol)
    const user = await repository.openBranch('user', withSymbol)
    const body = {
      pull_requests: [remover, user],
      heads: [headOf(remover), headOf(user)],
      base: 'b'.repeat(40),
      command_hash: 'c0ffee',
      result: 'passed',
    }
    expect((await repository.request('POST', '/proofs', { body })).status).toBe(201)
    expect(await chosen(remover)).toEqual([])
  })

  test('a closed pull request', async () => {
    const remover = await repository.openBranch('remover', withoutSymbol)
    const user = await repository.openBranch('user', withSymbol)
    repository.githubRepo.close(remover)
    await repository.deliver(remover, 'closed')
    expect(await chosen(user)).toEqual([])
  })
})

test('the names are deleted when the pull request ends', async () => {
  const number = await repository.openBranch('remover', withoutSymbol)
  expect(await stored()).toBeGreaterThan(0)
  repository.githubRepo.close(number)
  await repository.deliver(number, 'closed')
  expect(await stored()).toBe(0)
})

test('a choice of a pull request with more than 2,000 names is not complete', async () => {
  const names = Array.from({ length: 2_001 }, (_, at) => `pay(name_${at})`)
  const patch = `@@ -1,1 +1,2001 @@\n-x\n${names.map((line) => `+${line}`).join('\n')}`
  const number = await repository.openBranch('large', { filename: 'a.py', status: 'modified', patch })
  expect((await choice(number)).complete).toBe(false)
})

test('a caller without access gets no choice', async () => {
  const number = await repository.openBranch('remover', withoutSymbol)
  const { status } = await repository.request('GET', `/proofs?pull_request=${number}`, { token: 'nobody' })
  expect(status).toBe(401)
})
