/** The fake GitHub stores pull requests, branches and comments like GitHub. */
import type { Octokit } from '@octokit/rest'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FakeRepository } from './github-repository.ts'
import { type FakeGithubVariant, installationClient, variants } from './github-variants.ts'
import type { GithubWorld } from './github-world.ts'

const AT = { owner: 'acme', repo: 'shop' }

describe.each(variants)('a repository on the fake GitHub %s', (_, start) => {
  let fake: FakeGithubVariant
  let github: GithubWorld
  let shop: FakeRepository
  let octokit: Octokit

  beforeEach(async () => {
    fake = await start()
    github = fake.github
    github.repository({ id: 7, full_name: 'acme/shop' })
    shop = github.at('acme/shop')
    octokit = await installationClient(fake, 'acme/shop')
  })
  afterEach(() => fake.close())

  const numbers = async (query: Record<string, unknown>) =>
    (await octokit.request('GET /repos/{owner}/{repo}/pulls', { ...AT, ...query })).data.map(
      ({ number }) => number,
    )

  test('lists pull requests by state, head and base, newest first', async () => {
    shop.open({ number: 1, created_at: '2026-01-01T00:00:00Z' })
    shop.open({ number: 2, head: 'eve:feature-1', created_at: '2026-01-02T00:00:00Z' })
    shop.open({ number: 3, base: 'next', created_at: '2026-01-03T00:00:00Z' })
    shop.open({ number: 4, created_at: '2026-01-04T00:00:00Z' })
    shop.close(4)
    shop.update(1, { title: 'Newer' })
    expect(await numbers({})).toEqual([3, 2, 1])
    expect(await numbers({ state: 'closed' })).toEqual([4])
    expect(await numbers({ state: 'all', direction: 'asc' })).toEqual([1, 2, 3, 4])
    expect(await numbers({ sort: 'updated', direction: 'desc', per_page: 1, state: 'open' })).toEqual([1])
    expect(await numbers({ head: 'ACME:feature-1' })).toEqual([1])
    expect(await numbers({ head: 'eve:feature-1' })).toEqual([2])
    expect(await numbers({ head: 'feature-1' })).toEqual([3, 2, 1])
    expect(await numbers({ base: 'next' })).toEqual([3])
    await expect(numbers({ state: 'done' })).rejects.toMatchObject({ status: 422 })
  })

  test('paginates with links that use the repository’s id, and counts them under its name', async () => {
    for (let number = 1; number <= 5; number += 1) shop.open({ number })
    const { headers } = await octokit.rest.pulls.list({ ...AT, per_page: 2, page: 2 })
    const address = (page: number) => `<${fake.url}/repositories/7/pulls?per_page=2&page=${page}>`
    expect(headers.link).toBe(
      `${address(1)}; rel="prev", ${address(3)}; rel="next", ${address(3)}; rel="last", ${address(1)}; rel="first"`,
    )
    expect(await octokit.paginate('GET /repos/{owner}/{repo}/pulls', { ...AT, per_page: 2 })).toHaveLength(5)
    expect(github.calls('GET /repos/acme/shop/pulls', 200)).toBe(4)
    expect((await octokit.rest.pulls.list(AT)).headers.link).toBeUndefined()
  })

  test('lists at most 3,000 files, 100 a page, with both names of a renamed one', async () => {
    const files = Array.from({ length: 3_005 }, (_none, index) => `src/file-${index}.ts`)
    shop.open({ number: 1, files })
    shop.open({
      number: 2,
      files: [{ filename: 'new [1].ts', status: 'renamed', previous_filename: 'old.ts' }, 'same.ts'],
    })
    const all = await octokit.paginate('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', {
      ...AT,
      pull_number: 1,
      per_page: 500,
    })
    expect(all.length).toBe(3_000)
    expect(all.at(-1)?.filename).toBe('src/file-2999.ts')
    expect(github.calls('GET /repos/acme/shop/pulls/1/files')).toBe(30)
    expect((await octokit.rest.pulls.listFiles({ ...AT, pull_number: 2 })).data).toMatchObject([
      { filename: 'new [1].ts', status: 'renamed', previous_filename: 'old.ts' },
      { filename: 'same.ts', status: 'modified' },
    ])
    expect((await octokit.rest.pulls.get({ ...AT, pull_number: 1 })).data.changed_files).toBe(3_005)
  })

  test('shows a pull request through its lifecycle, and existing or deleted forks', async () => {
    const get = async (pull_number: number) => (await octokit.rest.pulls.get({ ...AT, pull_number })).data
    const { head } = shop.open({
      number: 1,
      head: 'a/b',
      draft: true,
      author: 'alice',
      labels: ['deconflict:mute'],
    })
    expect(await get(1)).toMatchObject({
      state: 'open',
      draft: true,
      merged: false,
      user: { login: 'alice', type: 'User' },
      labels: [{ name: 'deconflict:mute' }],
      head: { label: 'acme:a/b', ref: 'a/b', sha: head.sha, repo: { id: 7, full_name: 'acme/shop' } },
      base: { ref: 'main', repo: { id: 7 } },
    })
    const { after } = shop.push('a/b')
    expect((await get(1)).head.sha).toBe(after)
    const merged = shop.merge(1, 'bob')
    expect(await get(1)).toMatchObject({
      state: 'closed',
      merged: true,
      merged_by: { login: 'bob' },
      merge_commit_sha: merged.merge_commit_sha,
    })

    shop.open({ number: 2, head: 'eve:patch', author: 'dependabot[bot]' })
    expect(await get(2)).toMatchObject({
      user: { type: 'Bot' },
      head: { label: 'eve:patch', repo: { full_name: 'eve/shop', fork: true } },
    })
    const moved = shop.pushTo(2)
    expect((await get(2)).head.sha).toBe(moved.after)
    shop.update(2, { fork_deleted: true })
    expect(await get(2)).toMatchObject({ head: { label: 'eve:patch', repo: null } })
    await expect(get(9)).rejects.toMatchObject({ status: 404 })
  })

  test('finds a branch by any name until it is deleted, which closes its pull requests', async () => {
    shop.open({ number: 1, head: 'feat/a/b' })
    const branch = () => octokit.rest.repos.getBranch({ ...AT, branch: 'feat/a/b' })
    const ref = () => octokit.rest.git.getRef({ ...AT, ref: 'heads/feat/a/b' })
    const { sha } = shop.pull(1).head
    expect((await branch()).data).toMatchObject({ name: 'feat/a/b', commit: { sha } })
    expect((await ref()).data).toMatchObject({ ref: 'refs/heads/feat/a/b', object: { sha } })
    expect(shop.deleteBranch('feat/a/b')).toBe(sha)
    await expect(branch()).rejects.toMatchObject({ status: 404 })
    await expect(ref()).rejects.toMatchObject({ status: 404 })
    expect(shop.pull(1).state).toBe('closed')
    shop.reopen(1)
    expect(await numbers({})).toEqual([1])
  })

  test('lets the App change and delete only its own comments', async () => {
    shop.open({ number: 1 })
    const theirs = shop.comment(1, { author: 'alice', body: 'Hi' })
    const spoof = shop.comment(1, { author: 'other[bot]', body: 'Hi', app: 'other' })
    const { data: ours } = await octokit.rest.issues.createComment({ ...AT, issue_number: 1, body: 'One' })
    const update = (comment_id: number) =>
      octokit.rest.issues.updateComment({ ...AT, comment_id, body: 'Two' })
    expect((await update(ours.id)).data.body).toBe('Two')
    await expect(update(theirs.id)).rejects.toMatchObject({ status: 403 })
    await expect(update(spoof.id)).rejects.toMatchObject({ status: 403 })
    const onBehalf = shop.comment(1, { author: 'alice', body: 'Hi', app: 'deconflict' })
    const namesake = shop.comment(1, { author: 'deconflict[bot]', body: 'Hi', app: 'other' })
    for (const { id } of [onBehalf, namesake]) {
      await expect(update(id)).rejects.toMatchObject({ status: 403 })
      shop.removeComment(id)
    }
    const listed = await octokit.paginate('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      ...AT,
      issue_number: 1,
      per_page: 1,
    })
    expect(listed.map((comment) => comment.performed_via_github_app?.slug ?? null)).toEqual([
      null,
      'other',
      'deconflict',
    ])
    expect((await octokit.rest.issues.deleteComment({ ...AT, comment_id: ours.id })).status).toBe(204)
    await expect(update(ours.id)).rejects.toMatchObject({ status: 404 })
    shop.removeComment(theirs.id)
    expect(shop.comments(1)).toMatchObject([{ id: spoof.id }])
  })

  test.each([
    ['no body', {}, 422],
    ['a blank body', { body: ' ' }, 422],
    ['a body that is too long', { body: 'x'.repeat(65_537) }, 422],
    ['a body as long as allowed', { body: 'x'.repeat(65_536) }, 201],
  ])('answers a comment with %s', async (_name, given, status) => {
    shop.open({ number: 1 })
    const made = octokit.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      ...AT,
      issue_number: 1,
      ...(given as { body: string }),
    })
    expect(
      await made.then(
        (answer) => answer.status,
        (error) => error.status,
      ),
    ).toBe(status)
  })

  test('rejects comments on locked, archived or missing pull requests', async () => {
    shop.open({ number: 1, locked: true })
    const comment = (issue_number: number) =>
      octokit.rest.issues.createComment({ ...AT, issue_number, body: 'x' })
    await expect(comment(1)).rejects.toMatchObject({ status: 403 })
    await expect(comment(2)).rejects.toMatchObject({ status: 404 })
    shop.update(1, { locked: false })
    expect((await comment(1)).status).toBe(201)
    github.repository({ id: 7, full_name: 'acme/shop', archived: true })
    await expect(comment(1)).rejects.toMatchObject({ status: 403 })
  })

  test('redirects requests when a repository has moved, writes included', async () => {
    shop.open({ number: 1 })
    github.rename('acme/shop', 'acme/store')
    expect((await octokit.rest.pulls.get({ ...AT, pull_number: 1 })).data.base.repo.full_name).toBe(
      'acme/store',
    )
    const { data } = await octokit.rest.issues.createComment({ ...AT, issue_number: 1, body: 'still here' })
    expect(github.at('acme/store').comments(1)).toMatchObject([{ id: data.id, body: 'still here' }])
    expect(github.calls('POST /repos/acme/shop/issues/1/comments', 307)).toBe(1)
    expect(github.calls('POST /repos/acme/store/issues/1/comments', 201)).toBe(1)
  })

  test('fails any route, sets Retry-After, and can lose the response to a completed request', async () => {
    shop.open({ number: 1 })
    const comment = () => octokit.rest.issues.createComment({ ...AT, issue_number: 1, body: 'x' })
    github.fault('POST /repos/*/comments', 'secondary_rate_limited', 1, 7)
    await expect(comment()).rejects.toMatchObject({
      status: 403,
      response: { headers: { 'retry-after': '7' } },
    })
    expect(shop.comments(1)).toEqual([])
    github.fault('POST /repos/*/comments', 'lost', 1)
    await expect(comment()).rejects.toBeInstanceOf(Error)
    expect(shop.comments(1)).toHaveLength(1)
    expect((await comment()).status).toBe(201)
  })
})
