/** The issues that tracked pull requests close, and their summaries, from titles and descriptions. */
import { beforeEach, describe, expect, test } from 'vitest'
import { usePullRequests } from '../support/pull-request-service.ts'
import { installationEvent } from '../support/webhooks.ts'

const TEMPLATE = `## What

<!-- Describe the change. Fixes #1 -->

Retries a payment twice.

## Checklist

- [x] I have read the guide, \`Fixes #2\`

Closes #7.
`

const { service, github, repository } = usePullRequests()
beforeEach(() => service.clock.advance(1000))

const open = (pull: { title?: string; body?: string | null; head: string }) => repository.open(pull)
const edit = async (number: number, changes: { title?: string; body?: string }) => {
  const { updated_at } = repository.githubRepo.pull(number)
  repository.githubRepo.update(number, changes)
  repository.githubRepo.pull(number).updated_at = new Date(Date.parse(updated_at) + 1000)
    .toISOString()
    .replace('.000', '')
  await repository.deliver(number, 'edited')
}
const sharedIssue = async () => {
  const { items } = (await repository.request('GET', '/overlaps')).body
  expect(items).toHaveLength(1)
  const [{ findings }] = items
  return findings.find(({ kind }: { kind: string }) => kind === 'issue')?.issue ?? null
}

describe('two pull requests are duplicates', () => {
  test('from the edit on that names the issue, until the edit that takes it out', async () => {
    await open({ head: 'a', body: TEMPLATE })
    const number = await open({ head: 'b', body: 'Retries.' })
    expect(await sharedIssue()).toBeNull()
    await edit(number, { body: 'Retries.\n\nResolves #7.' })
    expect(await sharedIssue()).toBe(7)
    await edit(number, { body: 'Retries.' })
    expect(await sharedIssue()).toBeNull()
  })

  test('whatever a person writes into the summary of the activity', async () => {
    await open({ head: 'a', body: TEMPLATE })
    await open({ head: 'b', body: TEMPLATE })
    const { items } = (await repository.request('GET', '/activity')).body
    const body = { summary: 'Fixes #3.', title: 'Fixes #4' }
    for (const { id } of items) await repository.patch(id, body)
    expect(await sharedIssue()).toBe(7)
  })

  test('if declared work is linked to a tracked one by its address', async () => {
    await open({ head: 'a', body: TEMPLATE })
    const number = await open({ head: 'b', body: TEMPLATE })
    const [own] = await repository.list('?branch=b')
    const pr_url = `https://github.com/${repository.full_name}/pull/${number}`
    await repository.createActivity({ branch: 'c', pr_url })
    await repository.archive(own.id)
    await repository.advance(60_000)
    expect(await sharedIssue()).toBe(7)
  })

  test('if they were imported, without a call for each', async () => {
    repository.githubRepo.open({ head: 'a', author: 'a', files: ['src/pay.ts'], body: TEMPLATE })
    repository.githubRepo.open({ head: 'b', author: 'b', files: ['src/pay.ts'], body: TEMPLATE })
    await service.deliverAndRun(installationEvent(github, repository.installation, 'created'))
    expect(await sharedIssue()).toBe(7)
    expect(repository.calls().filter((call) => /^GET \/pulls\/\d+$/.test(call))).toEqual([])
  })
})

test('a summary that a person wrote stays after a push and a reconciliation', async () => {
  const number = await open({ head: 'a', body: TEMPLATE })
  const [{ id }] = await repository.list()
  await repository.patch(id, { summary: 'Better words.' })
  await repository.push(number, ['src/pay.ts'])
  await service.enqueueFirstJobs()
  await repository.advance(3_600_000)
  expect((await repository.read(id)).summary).toBe('Better words.')
})
