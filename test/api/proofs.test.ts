/** Proofs: reports of runs of the team's own command, and what both pull requests then show. */
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { pairs } from '../../src/server/ledger/table.ts'
import { editOfPay } from '../support/lines.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'

const { github, fixture, repository, useSettings } = usePullRequests()

const LOG = 'https://ci.acme.dev/runs/17'
const BASE = 'b'.repeat(40)

const headOf = (number: number) => repository.githubRepo.pull(number).head.sha
const ledger = () =>
  fixture.service.app.database.connection().select().from(pairs).where(eq(pairs.repo_id, repository.id))

/** Two pull requests that share no file. */
async function openTwo() {
  const first = await repository.openBranch('rename', editOfPay(40, ['charge()'], 'src/pay.ts'))
  const second = await repository.openBranch('shop', editOfPay(10, ['pay()'], 'src/shop.ts'))
  return [first, second] as const
}

function proofOf([first, second]: readonly [number, number], changes: object = {}) {
  return {
    pull_requests: [first, second],
    heads: [headOf(first), headOf(second)],
    base: BASE,
    command_hash: 'c0ffee',
    result: 'failed',
    log_url: LOG,
    ...changes,
  }
}

async function report(body: object) {
  const answer = await repository.request('POST', '/proofs', { body })
  await fixture.runJobs()
  return answer
}

async function failing() {
  const both = await openTwo()
  expect((await report(proofOf(both))).status).toBe(201)
  return both
}

/** The match of the second pull request with the first one. */
async function matches(number: number) {
  const { body } = await repository.request('GET', '/activity')
  const { id } = body.items.find(({ pr_url }: { pr_url: string }) => pr_url.endsWith(`/${number}`))
  return (await repository.request('GET', `/activity/${id}`)).body.overlap
}

describe('a report', () => {
  test('is stored and returned', async () => {
    const proof = proofOf(await openTwo(), { result: 'passed' })
    const { status, body } = await report(proof)
    expect(status).toBe(201)
    expect(body).toEqual({ ...proof, reported_at: fixture.service.clock.now.toISOString() })
  })

  test('that is sent again changes nothing', async () => {
    const both = await openTwo()
    const { body } = await report(proofOf(both))
    const [first, second] = both
    const writes = repository.writes().length
    fixture.service.clock.advance(QUIET_MS)
    const again = await report(proofOf([second, first]))
    expect(again.body.reported_at).toBe(body.reported_at)
    expect(repository.writes()).toHaveLength(writes)
  })

  test.each([
    ['a pull request that is not open', { pull_requests: [1, 999] }, 'pull_requests[1]'],
    ['a commit that is not the head', { heads: ['a'.repeat(40), 'a'.repeat(40)] }, 'heads[0]'],
    ['one pull request twice', { pull_requests: [1, 1] }, 'pull_requests'],
    ['a head that is no commit', { heads: ['main', 'a'.repeat(40)] }, 'heads[0]'],
    ['a base that is no commit', { base: 'main' }, 'base'],
    ['an unknown result', { result: 'flaky' }, 'result'],
    ['a log without https', { log_url: 'http://ci.acme.dev/1' }, 'log_url'],
    ['a log that is no URL', { log_url: 'javascript:alert(1)' }, 'log_url'],
    ['a log of 2,049 characters', { log_url: `https://ci.acme.dev/${'x'.repeat(2029)}` }, 'log_url'],
    ['a command instead of its hash', { command_hash: 'npm test' }, 'command_hash'],
  ])('of %s is rejected', async (_, changes, param) => {
    const both = await openTwo()
    const { status, body } = await report(proofOf(both, changes))
    expect(status).toBe(422)
    expect(body.error).toMatchObject({ type: 'validation_error', param })
  })

  test('says what to do when a pull request was pushed meanwhile', async () => {
    const both = await openTwo()
    const proof = proofOf(both)
    await repository.push(both[1], [editOfPay(10, ['pay()', 'more()'], 'src/shop.ts')])
    const { body } = await report(proof)
    expect(body.error.message).toBe(
      `heads[1]: the head commit of #${both[1]} is ${headOf(both[1])} now; fetch it, run the pair again, and report that`,
    )
  })

  test('of pull requests for different base branches is rejected', async () => {
    const [first] = await openTwo()
    const backport = await repository.open({ head: 'backport', base: 'v1' })
    const { body } = await report(proofOf([first, backport]))
    expect(body.error).toMatchObject({ type: 'validation_error', param: 'pull_requests' })
  })

  test('needs write access', async () => {
    github.token('reader', { login: 'rea', id: 9, permissions: { [repository.full_name]: 'read' } })
    const body = proofOf(await openTwo())
    const { status } = await repository.request('POST', '/proofs', { body, token: 'reader' })
    expect(status).toBe(403)
  })
})

describe('a failed proof', () => {
  test('is a match of high severity, although the two share no file', async () => {
    const [first, second] = await failing()
    expect(await matches(second)).toMatchObject({
      severity: 'high',
      matches: [
        {
          pr_url: expect.stringMatching(new RegExp(`/pull/${first}$`)),
          severity: 'high',
          example: null,
          lines: null,
          proof: 'failed',
        },
      ],
    })
    expect((await matches(first)).matches).toHaveLength(1)
  })

  test('is named by a check of either branch', async () => {
    const [, second] = await failing()
    const { body } = await repository.request('POST', '/activity/check', { body: { branch: 'rename' } })
    expect(body.matches).toMatchObject([{ severity: 'high', proof: 'failed', proof_log_url: LOG }])
    expect(body.reason).toContain(`#${second} and yours fail together`)
  })

  test('is in both comments, with a link to the log', async () => {
    const [first, second] = await failing()
    expect(repository.comment(second)).toContain(
      `\`#${first}\`](https://redirect.github.com/${repository.full_name}/pull/${first}) \`Edit in rename\` (\`author-of-rename\`, ready) and this pull request fail together: [log](<${LOG}>). `,
    )
    expect(repository.comment(first)).toMatch(/`#\d+`.* and this pull request fail together: \[log\]/)
  })

  test('is in the comments on pull requests whose own events were not seen', async () => {
    const both = [
      repository.githubRepo.open({ head: 'old', files: ['src/a.ts'], author: 'ann' }).number,
      repository.githubRepo.open({ head: 'older', files: ['src/b.ts'], author: 'bob' }).number,
    ] as const
    for (const number of both) await repository.deliver(number, 'labeled')
    await report(proofOf(both))
    expect(repository.comment(both[0])).toContain('fail together')
    expect(repository.comment(both[1])).toContain('fail together')
  })

  test('does not let a log become markup', async () => {
    const both = await openTwo()
    await report(proofOf(both, { log_url: 'https://ci.acme.dev/>)<img/src=x>`@ada`' }))
    expect(repository.comment(both[1])).toContain(
      '[log](<https://ci.acme.dev/%3E)%3Cimg/src=x%3E%60@ada%60>)',
    )
  })

  test('is listed among all collisions', async () => {
    await failing()
    const { body } = await repository.request('GET', '/overlaps')
    expect(body).toMatchObject({
      total: 1,
      items: [{ severity: 'high', paths: [], proof: 'failed', proof_log_url: LOG }],
    })
  })

  test('is in the check run', async () => {
    useSettings('check_run: true')
    const [, second] = await failing()
    await repository.advance(QUIET_MS)
    expect(
      repository.githubRepo.checkRuns().findLast(({ head_sha }) => head_sha === headOf(second)),
    ).toMatchObject({
      output: {
        title: 'This pull request overlaps with 1 other activity',
        summary: expect.stringContaining('fail together'),
      },
    })
  })

  test('is a pair of the ledger with a kind of its own', async () => {
    await failing()
    expect(await ledger()).toMatchObject([
      {
        fails_together: true,
        outcome: 'open',
        first_shown_at: expect.any(Date),
        second_shown_at: expect.any(Date),
      },
    ])
    const { body } = await repository.request('GET', '/signal')
    expect(body.recent).toMatchObject([{ kind: 'proof', verdict: null, files: [], outcome: 'open' }])
  })

  test.each([
    ['the one', 0],
    ['the other', 1],
  ] as const)('is stale after a push of %s', async (_, index) => {
    const both = await failing()
    await repository.advance(2 * QUIET_MS)
    await repository.push(both[index], [editOfPay(70, ['changed()'], `src/${index}.ts`)])
    await repository.advance(2 * QUIET_MS)
    expect((await matches(both[0])).matches).toEqual([])
    expect(repository.comment(both[0])).toContain('No overlap any more')
    expect(repository.comment(both[1])).toContain('No overlap any more')
    expect(await ledger()).toMatchObject([{ outcome: 'resolved' }])
  })

  test('ends when a later run of the same command passes', async () => {
    const both = await failing()
    fixture.service.clock.advance(1000)
    await report(proofOf(both, { base: 'd'.repeat(40), result: 'passed' }))
    expect((await matches(both[0])).matches).toEqual([])
  })

  test('stays when another command passes', async () => {
    const both = await failing()
    fixture.service.clock.advance(1000)
    await report(proofOf(both, { command_hash: 'lint', result: 'passed' }))
    expect((await matches(both[0])).matches).toMatchObject([{ proof: 'failed' }])
  })

  test('came true when both are merged as they were proved', async () => {
    const both = await failing()
    for (const number of both) {
      repository.githubRepo.merge(number)
      await repository.deliver(number, 'closed')
    }
    expect(await ledger()).toMatchObject([{ outcome: 'came_true' }])
  })

  test('is resolved when the other side is pushed after the merge of one', async () => {
    const [first, second] = await failing()
    repository.githubRepo.merge(first)
    await repository.deliver(first, 'closed')
    await repository.push(second, [editOfPay(10, ['charge()'], 'src/shop.ts')])
    await repository.advance(QUIET_MS)
    expect(await ledger()).toMatchObject([{ outcome: 'resolved' }])
  })
})

test.each(['passed', 'base_failed', 'side_failed'])('a proof that is %s is no match', async (result) => {
  const both = await openTwo()
  await report(proofOf(both, { result }))
  expect((await matches(both[0])).matches).toEqual([])
  expect(repository.comment(both[1])).toBeUndefined()
})
