/** The comment on a pull request: when it is created, what it says, when it is edited, and when there is none. */
import { describe, expect, test } from 'vitest'
import { sweep } from '../../src/server/operations/sweep.ts'
import { editOfPay } from '../support/lines.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'

const DAY_MS = 86_400_000

const { fixture, repository, useSettings } = usePullRequests()

const CREATED = expect.stringMatching(/^POST \/issues\/\d+\/comments$/)
const EDITED = expect.stringMatching(/^PATCH \/issues\/comments\/\d+$/)
const GONE = /^\*\*No overlap any more\.\*\* /m

describe('a pull request that collides with other work gets a comment', () => {
  test('with author, title, branch, severity, an example path, the order and advice', async () => {
    await repository.createActivity({ title: 'Retry payments', actor: 'Ben', branch: 'retries' })
    const number = await repository.open({ files: ['src/pay.ts', 'README.md'] })
    const text = repository.comment(number)
    expect(text).toContain(
      '`Retry payments` on `retries` (`Ben`, no pull request yet) works on `src/pay.ts` too. This pull request is ready for review and goes first: tell `Ben` what will change, or merge soon.',
    )
    expect(text).toContain('Severity: medium')
    expect(text).toContain('deconflict:mute')
    expect(repository.writes()).toEqual([CREATED])
  })

  test('with the number and address of the other pull request, on both of them with {audience: both}', async () => {
    useSettings('comment: {audience: both}')
    const first = await repository.open({ title: 'Retry', head: 'retries', author: 'ben' })
    expect(repository.comment(first)).toBeUndefined()
    const second = await repository.open({ title: 'Tidy', head: 'tidy', author: 'cy' })
    const address = (number: number) =>
      `[\`#${number}\`](https://redirect.github.com/${repository.full_name}/pull/${number})`
    expect(repository.comment(second)).toContain(
      `${address(first)} \`Retry\` (\`ben\`, ready) changes line 1 of \`src/pay.ts\` too. It was opened first: agree`,
    )
    expect(repository.comment(first)).toContain(`${address(second)} \`Tidy\` (\`cy\`, ready) changes`)
    expect(repository.comment(first)).toContain('This pull request was opened first: tell `cy`')
  })

  test('with the matching notables, even when nothing overlaps', async () => {
    await repository.createNotable({
      title: 'Tills are frozen',
      importance: 'high',
      scope: { paths: ['src/**'] },
      decision_url: 'https://acme.example/d/1',
    })
    await repository.createNotable({ title: 'Elsewhere', scope: { paths: ['docs/**'] } })
    const text = repository.comment(await repository.open())
    expect(text).toContain('**1 notable applies to this pull request**')
    expect(text).toContain(
      '- `Tills are frozen` (high), for `src/**`, [decision](<https://acme.example/d/1>)',
    )
    expect(text).not.toContain('Elsewhere')
  })
})

describe('two pull requests in one file', () => {
  test.each([
    ['far apart', editOfPay(100, ['tidy()'])],
    ['some lines apart', editOfPay(50, ['tidy()'])],
    ['on adjacent lines', editOfPay(44, ['tidy()'])],
    ['with the same change', editOfPay(40, ['retry()'])],
  ])('get no comment %s', async (_, file) => {
    const first = await repository.openBranch('retries', editOfPay(40, ['retry()']))
    const second = await repository.openBranch('tidy', file)
    await repository.advance(2 * QUIET_MS)
    for (const number of [first, second]) expect(repository.githubRepo.comments(number)).toEqual([])
    const { body } = await repository.request('GET', '/overlaps')
    expect(body.items).toHaveLength(1)
  })

  test('get a comment when a push reaches the same lines, and it names the lines', async () => {
    await repository.openBranch('retries', editOfPay(40, ['retry()']))
    const second = await repository.openBranch('tidy', editOfPay(100, ['tidy()']))
    await repository.push(second, [editOfPay(41, ['tidy()'])])
    await repository.advance(2 * QUIET_MS)
    expect(repository.githubRepo.comments(second)).toHaveLength(1)
    expect(repository.comment(second)).toContain(
      '(`author-of-retries`, ready) changes lines 40–42 of `src/pay.ts` too (yours: lines 41–43). It was opened first',
    )
  })

  test('get a comment that names a duplicate', async () => {
    const rows = Array.from({ length: 6 }, (_, at) => `const fresh${at} = compute(${at})`)
    const first = await repository.openBranch('retries', editOfPay(10, rows))
    const second = await repository.openBranch('tidy', editOfPay(100, rows))
    expect(repository.comment(second)).toContain(
      `/pull/${first}) \`Edit in retries\` (\`author-of-retries\`, ready) seems to do the same as this pull request (6 of 6 added lines are alike). It was opened first: agree with`,
    )
  })
})

describe('nothing is posted', () => {
  test.each<[string, () => Promise<number>]>([
    ['if nothing overlaps', () => repository.open()],
    [
      'below min_severity',
      async () => {
        await repository.createActivity({ branch: 'mine', scope: { areas: ['payments'] } })
        await repository.createActivity({ scope: { areas: ['payments'] } })
        return repository.open({ head: 'mine' })
      },
    ],
    [
      'on a draft, for severity below high',
      async () => {
        await repository.createActivity()
        return repository.open({ draft: true })
      },
    ],
    [
      'for work on the same branch',
      async () => {
        await repository.createActivity({ branch: 'retries' })
        return repository.open({ head: 'retries' })
      },
    ],
    [
      'for work that it is stacked on',
      async () => {
        await repository.createActivity({ branch: 'below' })
        return repository.open({ head: 'above', base: 'below' })
      },
    ],
    [
      'on the pull request of a bot',
      async () => {
        await repository.createActivity({ risk: 'high' })
        return repository.open({ author: { login: 'renovate[bot]', type: 'Bot' } })
      },
    ],
    [
      'if comments are turned off',
      async () => {
        await repository.writeFile('.github/deconflict.yml', 'comment: {mode: off}')
        await repository.createActivity({ risk: 'high' })
        return repository.open()
      },
    ],
    [
      'for paths that are ignored',
      async () => {
        await repository.createActivity({ scope: { paths: ['package-lock.json'] } })
        return repository.open({ files: ['package-lock.json'] })
      },
    ],
  ])('%s', async (_, given) => {
    const number = await given()
    await repository.advance(2 * QUIET_MS)
    expect(repository.githubRepo.comments(number)).toEqual([])
    expect(repository.writes()).toEqual([])
    // The pull request is tracked in any case.
    const { body } = await repository.request('GET', '/activity')
    expect(body.items.map((item: { pr_url: string }) => item.pr_url)).toContain(
      `https://github.com/${repository.full_name}/pull/${number}`,
    )
  })
})

describe('the settings decide which pull requests get a comment', () => {
  test('min_severity: low includes areas, and high includes only high severity', async () => {
    await repository.writeFile('.github/deconflict.yml', 'comment: {min_severity: high}')
    await repository.createActivity({ title: 'By path' })
    await repository.createActivity({ title: 'By area', branch: 'area', scope: { areas: ['payments'] } })
    await repository.createActivity({ branch: 'mine', scope: { areas: ['payments'], paths: ['src/pay.ts'] } })
    const number = await repository.open({ head: 'mine' })
    expect(repository.comment(number)).toBeUndefined()
    await repository.writeFile('.github/deconflict.yml', 'comment: {min_severity: medium}')
    expect(repository.comment(number)).toContain('`By path`')
    expect(repository.comment(number)).not.toContain('`By area`')
    await repository.advance(QUIET_MS)
    await repository.writeFile('.github/deconflict.yml', 'comment: {min_severity: low}')
    expect(repository.comment(number)).toContain('- area `payments`: `By area` on `area` (')
  })

  test.each(['comment_on_bots: true', 'comment: {on_bots: true}'])(
    '%s gives the pull requests of bots a comment',
    async (text) => {
      await repository.writeFile('.github/deconflict.yml', text)
      await repository.createActivity()
      const number = await repository.open({ author: { login: 'renovate[bot]', type: 'Bot' } })
      expect(repository.comment(number)).toContain('Severity: ')
    },
  )

  test.each<[string, string[], string[]]>([
    ['draft_min_severity: medium', ['Harmless', 'Careful'], ['By area']],
    ['draft_min_severity: low, min_severity: high', ['Harmless', 'Careful', 'By area'], []],
  ])('a draft with {%s} shows only that severity and higher ones', async (text, shown, left_out) => {
    await repository.writeFile('.github/deconflict.yml', `comment: {${text}}`)
    await repository.createActivity({ title: 'Careful', risk: 'high' })
    await repository.createActivity({ title: 'Harmless', branch: 'other' })
    await repository.createActivity({ branch: 'mine', scope: { areas: ['payments'], paths: ['src/pay.ts'] } })
    await repository.createActivity({ title: 'By area', branch: 'area', scope: { areas: ['payments'] } })
    const number = await repository.open({ head: 'mine', draft: true })
    for (const title of shown) expect(repository.comment(number)).toContain(`\`${title}\``)
    for (const title of left_out) expect(repository.comment(number)).not.toContain(`\`${title}\``)
  })

  test('a draft shows only high severity, and the rest once it is ready', async () => {
    await repository.createActivity({ title: 'Careful', risk: 'high' })
    await repository.createActivity({ title: 'Harmless', branch: 'other' })
    const number = await repository.open({ draft: true })
    expect(repository.comment(number)).toContain('`Careful`')
    expect(repository.comment(number)).not.toContain('`Harmless`')
    repository.githubRepo.update(number, { draft: false })
    await repository.deliver(number, 'ready_for_review')
    await repository.advance(QUIET_MS)
    expect(repository.comment(number)).toContain('`Harmless`')
    expect(repository.writes()).toEqual([CREATED, EDITED])
  })
})

describe('an overlap that an incomplete check did not reach is not reported as ended', () => {
  const told_of = async () => {
    await repository.createActivity()
    const number = await repository.open()
    expect(repository.comment(number)).toContain('`Retry payments`')
    await repository.advance(QUIET_MS)
    return number
  }

  test.each<[string, (number: number) => Promise<unknown>, string, string]>([
    [
      'the threshold rose',
      () => repository.writeFile('.github/deconflict.yml', 'comment: {min_severity: high}'),
      'Overlap below the threshold',
      'This repository shows `high` severity and above',
    ],
    [
      'it became a draft',
      (number) => {
        repository.githubRepo.update(number, { draft: true })
        return repository.deliver(number, 'converted_to_draft')
      },
      'Overlap below the threshold',
      'This is a draft',
    ],
    [
      'its files are ignored',
      () => repository.writeFile('.github/deconflict.yml', 'ignore_paths: [src/**]'),
      'Not compared',
      'every changed file is noise or ignored',
    ],
    [
      'it changes no files any more',
      (number) => repository.push(number, []),
      'Not compared',
      'names neither paths nor areas',
    ],
    [
      'its activity was archived',
      async () => {
        const { items } = (await repository.request('GET', '/activity')).body
        const { id } = items.find((item: { source: string }) => item.source === 'pull_request')
        await repository.request('POST', `/activity/${id}/archive`)
        await repository.advance(0)
      },
      'Not compared',
      'is archived, finished or expired',
    ],
  ])('%s', async (_, happen, heading, words) => {
    const number = await told_of()
    await happen(number)
    expect(repository.comment(number)).toContain(`\n\n**${heading}.** `)
    expect(repository.comment(number)).toContain(words)
    expect(repository.comment(number)).not.toContain('No overlap')
    expect(repository.writes()).toEqual([CREATED, EDITED])
  })

  test('the text of an ended overlap names the numbers compared and is not rewritten for unrelated changes', async () => {
    const id = await repository.createActivity()
    await repository.createActivity({ branch: 'aside', scope: { paths: ['docs/**'] } })
    const number = await repository.open()
    await repository.advance(QUIET_MS)
    await repository.request('POST', `/activity/${id}/archive`)
    await repository.advance(0)
    expect(repository.comment(number)).toMatch(GONE)
    expect(repository.comment(number)).toContain('Compared with 1 other live activity and 0 active notables')
    await repository.advance(QUIET_MS)
    await repository.createNotable({ scope: { paths: ['docs/**'] } })
    await repository.deliver(number, 'labeled')
    await repository.advance(QUIET_MS)
    expect(repository.writes()).toEqual([CREATED, EDITED])
  })
})

describe('a change is published on every affected pull request', () => {
  test('a new activity, its changed scope, and its end', async () => {
    useSettings('comment: {audience: both}')
    const number = await repository.open()
    const aside = await repository.open({ files: ['docs/a.md'] })
    const id = await repository.createActivity({ title: 'Retry payments' })
    expect(repository.comment(number)).toContain('`Retry payments`')
    expect(repository.comment(aside)).toBeUndefined()

    await repository.advance(QUIET_MS)
    await repository.request('PATCH', `/activity/${id}`, { body: { scope: { paths: ['docs/a.md'] } } })
    await repository.advance(0)
    expect(repository.comment(number)).toMatch(GONE)
    expect(repository.comment(aside)).toContain('`Retry payments`')

    await repository.advance(QUIET_MS)
    await repository.request('POST', `/activity/${id}/archive`)
    await repository.advance(0)
    expect(repository.comment(aside)).toMatch(GONE)
    expect(repository.writes()).toEqual([CREATED, EDITED, CREATED, EDITED])
  })

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['archived', (id) => repository.request('POST', `/activity/${id}/archive`)],
    ['abandoned', (id) => repository.request('PATCH', `/activity/${id}`, { body: { status: 'abandoned' } })],
    [
      'expired',
      async () => {
        // The pull request itself stays open.
        const [own] = (await repository.request('GET', '/activity')).body.items.filter(
          (item: { source: string }) => item.source === 'pull_request',
        )
        fixture.service.clock.advance(DAY_MS / 2)
        expect((await repository.request('POST', `/activity/${own.id}/heartbeat`)).status).toBe(200)
        fixture.service.clock.advance(DAY_MS / 2)
        await sweep(fixture.service.app)
      },
    ],
  ])('work that is %s clears the comment', async (_, end) => {
    const id = await repository.createActivity()
    const number = await repository.open()
    expect(repository.comment(number)).toContain('`Retry payments`')
    await repository.advance(QUIET_MS)
    await end(id)
    await repository.advance(0)
    expect(repository.comment(number)).toMatch(GONE)
    expect(repository.writes()).toEqual([CREATED, EDITED])
  })

  test('the comment of the other pull request names only the merged one, and that of the merged one stays', async () => {
    useSettings('comment: {audience: both}')
    const merged = await repository.open({ head: 'retries' })
    const number = await repository.open({ head: 'tidy' })
    await repository.advance(QUIET_MS)
    const last = repository.comment(merged)
    expect(last).toContain('(`author-2`, ready)')
    repository.githubRepo.merge(merged)
    await repository.deliver(merged, 'closed')
    await repository.advance(QUIET_MS)
    expect(repository.comment(number)).toContain(`/pull/${merged}) was merged: rebase over it.`)
    expect(repository.comment(number)).not.toContain('Severity: ')
    expect(repository.comment(merged)).toBe(last)
  })

  test('a notable that is created, changed and archived', async () => {
    await repository.createActivity()
    const number = await repository.open()
    await repository.advance(QUIET_MS)
    const id = await repository.createNotable({ title: 'Tills are frozen' })
    expect(repository.comment(number)).toContain('- `Tills are frozen` (medium), for the whole repository')
    await repository.advance(QUIET_MS)
    await repository.request('PATCH', `/notables/${id}`, { body: { title: 'Tills thaw' } })
    await repository.advance(0)
    expect(repository.comment(number)).toContain('`Tills thaw`')
    await repository.advance(QUIET_MS)
    await repository.request('POST', `/notables/${id}/archive`)
    await repository.advance(0)
    expect(repository.comment(number)).not.toContain('Tills')
  })

  test('another pull request that becomes ready while it is blocked', async () => {
    const other = await repository.open({ title: 'Other', draft: true })
    const [item] = (await repository.request('GET', '/activity')).body.items
    await repository.request('PATCH', `/activity/${item.id}`, { body: { status: 'blocked' } })
    const number = await repository.open()
    expect(repository.comment(number)).toMatch(/`Other` \(.*, draft\)/)
    await repository.advance(QUIET_MS)
    repository.githubRepo.update(other, { draft: false })
    await repository.deliver(other, 'ready_for_review')
    expect(repository.comment(number)).toMatch(/`Other` \(.*, ready\)/)
  })
})
