/** Lists of changed files that GitHub cuts. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { editOfPay } from '../support/lines.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'

/** GitHub's limits are 3,000 files of a pull request and 300 of a comparison, in pages of 100. */
const FILES = 30
const COMPARED = 10
const { github, service, repository } = usePullRequests({
  list_limits: { page: 10, files: FILES, compared_files: COMPARED },
})

const BRANCH = 'claude/rename'

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `f${index}.ts`)
const texts = (paths: string[], text: string | null = 'a\n') =>
  Object.fromEntries(paths.map((path) => [path, text]))
const calls = (start: string) =>
  repository.calls().filter((route) => route.startsWith(`GET /${start}`)).length

async function push(files: Record<string, string | null>): Promise<void> {
  await repository.deliverPush(repository.githubRepo.push(BRANCH, files))
  await repository.advance(QUIET_MS)
}

const checkPath = (path: string) => repository.check({ scope: { paths: [path] } })

describe('a branch whose list GitHub cuts', () => {
  test('is known in full, by two calls', async () => {
    await push(texts(numbered(COMPARED + 1)))
    const { id, changes_complete, scope } = await repository.only()
    expect(changes_complete).toBe(true)
    expect([...scope.paths].sort()).toEqual(numbered(COMPARED + 1).sort())
    expect(calls('git/trees/')).toBe(2)
    const { related_activity_ids, checked_against, matches } = await checkPath('f9.ts')
    expect(related_activity_ids).toEqual([id])
    expect(matches[0]?.paths[0]).toMatchObject({ theirs: 'f9.ts' })
    expect(checked_against.complete).toBe(true)
  })

  test('has no lines for the files beyond, which are compared by path', async () => {
    repository.githubRepo.push('main', texts(numbered(COMPARED + 1)))
    await push(texts(numbered(COMPARED + 1), 'b\n'))
    const changes = [{ path: 'f9.ts', patch: '@@ -1 +1 @@\n-a\n+c' }]
    const { matches } = await repository.check({ scope: { changes } })
    expect(matches).toMatchObject([
      { consequence: 'possible', paths: [{ theirs: 'f9.ts', verdict: 'unknown' }] },
    ])
  })

  test('is known with what it removes and changes, and without what it leaves as it was', async () => {
    repository.githubRepo.push('main', texts(numbered(COMPARED + 4)))
    await push({ ...texts(numbered(COMPARED + 1), 'b\n'), ...texts(['f12.ts', 'f13.ts'], null) })
    const { scope } = await repository.only()
    expect([...scope.paths].sort()).toEqual([...numbered(COMPARED + 1), 'f12.ts', 'f13.ts'].sort())
  })

  test('is known since it left the default branch, whatever was merged there later', async () => {
    repository.githubRepo.push(BRANCH, texts(numbered(COMPARED + 1)))
    repository.githubRepo.push('main', { 'late.ts': 'a\n' })
    await push({})
    expect((await repository.only()).scope.paths).not.toContain('late.ts')
  })

  test('is not known in full beyond the files of a pull request', async () => {
    await push(texts(numbered(FILES + 1)))
    const { changes_complete, scope, summary } = await repository.only()
    expect(changes_complete).toBe(false)
    expect(scope.paths).toHaveLength(FILES)
    expect(summary).toContain('there may be more')
    expect((await checkPath('elsewhere.ts')).checked_against.complete).toBe(false)
  })

  test('is not known in full if GitHub truncates a tree', async () => {
    github.state.tree_entries_max = COMPARED
    onTestFinished(() => {
      github.state.tree_entries_max = 100_000
    })
    await push(texts(numbered(COMPARED + 1)))
    const { changes_complete, scope } = await repository.only()
    expect(changes_complete).toBe(false)
    expect(scope.paths).toHaveLength(COMPARED)
  })

  test('costs no further call if GitHub did not cut the list', async () => {
    await push(texts(numbered(COMPARED - 1)))
    expect((await repository.only()).changes_complete).toBe(true)
    expect(calls('git/trees/')).toBe(0)
  })
})

describe('a pull request whose list GitHub cuts', () => {
  const open = (count = FILES + 5) => repository.open({ files: numbered(count) })

  test('says in full and in the list that GitHub cut it, until a push leaves fewer', async () => {
    const number = await open()
    expect(await repository.only()).toMatchObject({ changes_complete: false })
    const { items } = (await repository.request('GET', '/activity')).body
    expect(items[0].changes_complete).toBe(false)
    await repository.push(number, numbered(FILES - 1))
    expect((await repository.only()).changes_complete).toBe(true)
    expect((await checkPath('elsewhere.ts')).checked_against.complete).toBe(true)
  })

  test('is known with the files that it had if GitHub cannot compute its diff', async () => {
    const withoutDiff = async (act: () => Promise<unknown>) => {
      github.fault(`GET /repos/${repository.full_name}/pulls/2/files`, 'diff_unavailable', 3)
      await act().catch(() => {})
      for (let attempt = 2; attempt <= 3; attempt += 1) {
        service.clock.advance(QUIET_MS)
        await service.runDueJobs()
      }
      expect((await checkPath('elsewhere.ts')).checked_against.complete).toBe(false)
    }
    await repository.open({ files: [editOfPay(1, ['a'])] })
    await withoutDiff(open)
    expect(await repository.list()).toMatchObject([{ changes_complete: false, scope: { paths: [] } }, {}])
    await repository.push(2, [editOfPay(1, ['b'])])
    await withoutDiff(() => repository.push(2, ['src/cart.ts']))
    expect(await repository.pairs()).toMatchObject([{ outcome: 'open', consequence: 'conflict' }])
    expect(await service.runDueJobs()).toEqual([])
  })

  test('does not keep the pairs of others open, and the check run of no other says success', async () => {
    await repository.writeFile('.github/deconflict.yml', 'check_run: true')
    await open()
    await repository.open({ files: [editOfPay(1, ['b'])] })
    const second = await repository.open({ files: [editOfPay(1, ['c'])] })
    await repository.advance(QUIET_MS)
    expect(repository.comment(second)).toContain('Severity: ')
    await repository.push(second, ['src/cart.ts'])
    await repository.advance(2 * QUIET_MS)
    expect(repository.comment(second)).toMatch(/^\*\*Compared in part\.\*\* /m)
    expect(await repository.pairs()).not.toContainEqual(expect.objectContaining({ outcome: 'open' }))
    expect(repository.githubRepo.checkRuns().map((run) => run.conclusion)).not.toContain('success')
  })
})
