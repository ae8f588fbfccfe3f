/** The fake GitHub stores check runs and returns files like GitHub. */
import type { Octokit } from '@octokit/rest'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FakeRepository } from './github-repository.ts'
import { type FakeGithubVariant, installationClient, variants } from './github-variants.ts'

const AT = { owner: 'acme', repo: 'shop' }

describe.each(variants)('checks and files on the fake GitHub %s', (_, start) => {
  let fake: FakeGithubVariant
  let shop: FakeRepository
  let octokit: Octokit

  beforeEach(async () => {
    fake = await start()
    const { github } = fake
    github.repository({ id: 7, full_name: 'acme/shop' })
    shop = github.at('acme/shop')
    octokit = await installationClient(fake, 'acme/shop')
  })
  afterEach(() => fake.close())

  test('compares a branch with the default branch, with patches and the merge base', async () => {
    shop.write('a.ts', 'one\ntwo\n')
    const { after: base } = shop.write('gone.ts', 'old\n')
    const { after: head } = shop.push('claude/retry', {
      'a.ts': 'one\nthree\n',
      'new.ts': 'x\n',
      'gone.ts': null,
    })
    const { data } = await octokit.rest.repos.compareCommitsWithBasehead({
      ...AT,
      basehead: 'main...claude/retry',
    })
    expect(data.merge_base_commit.sha).toBe(base)
    expect(data.commits.map(({ sha }) => sha)).toEqual([head])
    expect(data.files?.map(({ filename, status, patch }) => [filename, status, patch])).toEqual([
      ['a.ts', 'modified', '@@ -1,2 +1,2 @@\n-one\n-two\n+one\n+three'],
      ['gone.ts', 'removed', '@@ -1,1 +0,0 @@\n-old'],
      ['new.ts', 'added', '@@ -0,0 +1,1 @@\n+x'],
    ])
    const unknown = octokit.rest.repos.compareCommitsWithBasehead({ ...AT, basehead: 'main...nowhere' })
    await expect(unknown).rejects.toMatchObject({ status: 404 })
  })

  test('compares from the commit where the branch left its base, and lists the commits since, the oldest first', async () => {
    const { after: left } = shop.write('a.ts', 'one\n')
    const { after: first } = shop.push('upper', { 'b.ts': 'two\n' })
    const { after: second } = shop.push('upper', { 'c.ts': 'three\n' })
    shop.write('a.ts', 'four\n')
    const { data } = await octokit.rest.repos.compareCommitsWithBasehead({ ...AT, basehead: 'main...upper' })
    expect(data.merge_base_commit.sha).toBe(left)
    expect(data).toMatchObject({ status: 'diverged', ahead_by: 2, behind_by: 1, total_commits: 2 })
    expect(data.commits.map(({ sha }) => sha)).toEqual([first, second])
    expect(data.files?.map(({ filename }) => filename)).toEqual(['b.ts', 'c.ts'])
  })

  test('lists the tree of a commit, with its directories if it is read recursively', async () => {
    const { after } = shop.push('main', { 'src/a.ts': 'a\n', 'b.ts': '' })
    const tree = async (recursive?: { recursive: string }) => {
      const { data } = await octokit.rest.git.getTree({ ...AT, tree_sha: after, ...recursive })
      return [data.truncated, data.tree.map(({ path, type, sha }) => [path, type, sha])]
    }
    const empty = ['b.ts', 'blob', 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391']
    const directory = ['src', 'tree', expect.any(String)]
    const file = ['src/a.ts', 'blob', '78981922613b2afb6025042ff6bd878ac1994e85']
    expect(await tree({ recursive: '1' })).toEqual([false, [empty, directory, file]])
    expect(await tree()).toEqual([false, [empty, directory]])
  })

  test('truncates a tree of more than 100,000 entries', async () => {
    const files = Object.fromEntries(Array.from({ length: 100_001 }, (_, index) => [`${index}`, '']))
    const { after } = shop.push('main', files)
    const { data } = await octokit.rest.git.getTree({ ...AT, tree_sha: after, recursive: '1' })
    expect(data.truncated).toBe(true)
  })

  test('stores check runs, adds annotations and shows the latest of each name', async () => {
    const { after: head_sha } = shop.push('main')
    const run = { ...AT, name: 'Deconflict', head_sha }
    const note = {
      path: 'a.ts',
      start_line: 1,
      end_line: 1,
      annotation_level: 'notice' as const,
      message: 'm',
    }
    const output = { title: 'One', summary: 'Some', annotations: [note] }
    await octokit.rest.checks.create({ ...run, conclusion: 'success' })
    const { data: made } = await octokit.rest.checks.create({ ...run, status: 'in_progress', output })
    expect(made).toMatchObject({ status: 'in_progress', conclusion: null, app: { slug: 'deconflict' } })
    const changed = await octokit.rest.checks.update({
      ...AT,
      check_run_id: made.id,
      conclusion: 'neutral',
      output,
    })
    expect(changed.data).toMatchObject({
      status: 'completed',
      conclusion: 'neutral',
      completed_at: expect.any(String),
      output: { title: 'One', annotations_count: 2 },
    })
    const listed = await octokit.rest.checks.listForRef({ ...AT, ref: head_sha, check_name: 'Deconflict' })
    expect(listed.data).toMatchObject({ total_count: 1, check_runs: [{ id: made.id }] })
    expect(
      (await octokit.rest.checks.listForRef({ ...AT, ref: 'main', filter: 'all' })).data.total_count,
    ).toBe(2)
    expect(shop.checkRuns().map(({ annotations }) => annotations.length)).toEqual([0, 2])
  })

  const note = { path: 'a', start_line: 1, end_line: 1, annotation_level: 'notice', message: 'm' }
  test.each<[string, Record<string, unknown>]>([
    ['no name', { name: '' }],
    ['a commit that does not exist', { head_sha: 'f'.repeat(40) }],
    ['an unknown conclusion', { conclusion: 'fine' }],
    ['a completion without a conclusion', { status: 'completed' }],
    ['an output without a summary', { output: { title: 'T' } }],
    ['a summary that is too long', { output: { title: 'T', summary: 'x'.repeat(65_536) } }],
    ['51 annotations', { output: { title: 'T', summary: 'S', annotations: Array(51).fill(note) } }],
    [
      'a line before the first',
      { output: { title: 'T', summary: 'S', annotations: [{ ...note, start_line: 0 }] } },
    ],
    ['lines in reverse', { output: { title: 'T', summary: 'S', annotations: [{ ...note, start_line: 2 }] } }],
    [
      'an unknown level',
      { output: { title: 'T', summary: 'S', annotations: [{ ...note, annotation_level: 'x' }] } },
    ],
    ['no message', { output: { title: 'T', summary: 'S', annotations: [{ ...note, message: undefined }] } }],
  ])('rejects a check run with %s', async (_name, wrong) => {
    const { after: head_sha } = shop.push('main')
    const create = (given: Record<string, unknown>) =>
      octokit.request('POST /repos/{owner}/{repo}/check-runs', { ...AT, name: 'n', head_sha, ...given })
    expect((await create({ output: { title: 'T', summary: 'S', annotations: [note] } })).status).toBe(201)
    await expect(create(wrong)).rejects.toMatchObject({ status: 422 })
  })

  test('returns files of a branch or commit, in base64 or raw, and lists folders', async () => {
    const text = `comment:\n  enabled: false # ${'é'.repeat(60)}\n`
    const { after } = shop.write('.github/deconflict.yml', text)
    shop.push('next', { '.github/deconflict.yml': 'check_run: true\n' })
    const path = '.github/deconflict.yml'
    const get = async (query: Record<string, string> = {}) =>
      (await octokit.request('GET /repos/{owner}/{repo}/contents/{path}', { ...AT, path, ...query }))
        .data as unknown as {
        content: string
        encoding: string
        size: number
      }
    const file = await get()
    expect(file.encoding).toBe('base64')
    expect(Buffer.from(file.content, 'base64').toString()).toEqual(text)
    expect(file.size).toEqual(Buffer.byteLength(text))
    const onNext = await get({ ref: 'next' })
    expect(Buffer.from(onNext.content, 'base64').toString()).toBe('check_run: true\n')
    const raw = await octokit.rest.repos.getContent({ ...AT, path, mediaType: { format: 'raw' } })
    expect(raw.data).toBe(text)
    const folder = await octokit.rest.repos.getContent({ ...AT, path: '.github' })
    expect(folder.data).toMatchObject([{ type: 'file', path, name: 'deconflict.yml' }])
    shop.write(path, null)
    await expect(get()).rejects.toMatchObject({ status: 404 })
    expect((await get({ ref: after })).size).toBe(Buffer.byteLength(text))
    await expect(get({ ref: 'nowhere' })).rejects.toMatchObject({ status: 404 })
  })
})
