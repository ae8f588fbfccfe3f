/** The one comment on a pull request: when it is made, what it says, when it changes, and when there is none (contract §10). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sweep } from '../../src/operations/sweep.ts'
import { fakeGithub } from '../support/github.ts'
import { QUIET_MS, type Shop, startToldService, type ToldService } from '../support/told-service.ts'

const DAY_MS = 86_400_000

const github = fakeGithub()
let told: ToldService
let shop: Shop

beforeAll(async () => {
  told = await startToldService(github)
})
beforeEach(() => {
  shop = told.shop()
})
afterAll(async () => {
  await told.service.close()
  github.close()
})

const CREATED = expect.stringMatching(/^POST \/issues\/\d+\/comments$/)
const EDITED = expect.stringMatching(/^PATCH \/issues\/comments\/\d+$/)
const GONE = /^### No overlap any more$/m

describe('a pull request that collides with other work gets a comment', () => {
  test('with who, what, branch, severity, an example path, the order and what to do', async () => {
    await shop.work({ title: 'Retry payments', actor: 'Ben', branch: 'retries' })
    const number = await shop.open({ files: ['src/pay.ts', 'README.md'] })
    const text = shop.comment(number)
    expect(text).toMatch(/^### This pull request overlaps with one other work$/m)
    expect(text).toMatch(
      /^\| `Ben` \| `Retry payments` on `retries` \(no pull request yet\) \| `src\/pay\.ts` \| medium \| behind this \|$/m,
    )
    expect(text).toMatch(/^\*\*What to do:\*\* This pull request is ahead of `retries`; tell `Ben`/m)
    expect(text).toContain('deconflict:mute')
    expect(shop.writes()).toEqual([CREATED])
  })

  test('with the number and address of the other pull request, on both of them', async () => {
    const first = await shop.open({ title: 'Retry', head: 'retries', author: 'ben' })
    expect(shop.comment(first)).toBeUndefined()
    const second = await shop.open({ title: 'Tidy', head: 'tidy', author: 'cy' })
    const address = (number: number) => `[#${number}](https://github.com/${shop.full_name}/pull/${number})`
    expect(shop.comment(second)).toContain(
      `| \`ben\` | ${address(first)} \`Retry\` on \`retries\` (ready for review) |`,
    )
    expect(shop.comment(second)).toContain('ahead of this')
    expect(shop.comment(first)).toContain(
      `| \`cy\` | ${address(second)} \`Tidy\` on \`tidy\` (ready for review) |`,
    )
    expect(shop.comment(first)).toContain('behind this')
  })

  test('with the notables that match, also where no work collides', async () => {
    await shop.note({
      title: 'Tills are frozen',
      scope: { paths: ['src/**'] },
      decision_url: 'https://acme.example/d/1',
    })
    await shop.note({ title: 'Elsewhere', scope: { paths: ['docs/**'] } })
    const text = shop.comment(await shop.open())
    expect(text).toContain('### One notable applies to this pull request')
    expect(text).toContain(
      '- `Tills are frozen` (medium), for `src/**`, [decision](<https://acme.example/d/1>)',
    )
    expect(text).not.toContain('Elsewhere')
  })
})

describe('nothing is posted', () => {
  test.each<[string, () => Promise<number>]>([
    ['where nothing overlaps', () => shop.open()],
    [
      'below min_severity',
      async () => {
        await shop.work({ branch: 'mine', scope: { areas: ['payments'] } })
        await shop.work({ scope: { areas: ['payments'] } })
        return shop.open({ head: 'mine' })
      },
    ],
    [
      'on a draft, for what is not high',
      async () => {
        await shop.work()
        return shop.open({ draft: true })
      },
    ],
    [
      'for work on the same branch',
      async () => {
        await shop.work({ branch: 'retries' })
        return shop.open({ head: 'retries' })
      },
    ],
    [
      'for work that it is stacked on',
      async () => {
        await shop.work({ branch: 'below' })
        return shop.open({ head: 'above', base: 'below' })
      },
    ],
    [
      'on the pull request of a bot',
      async () => {
        await shop.work({ risk: 'high' })
        return shop.open({ author: { login: 'renovate[bot]', type: 'Bot' } })
      },
    ],
    [
      'where comments are turned off',
      async () => {
        await shop.write('.github/deconflict.yml', 'comment: {mode: off}')
        await shop.work({ risk: 'high' })
        return shop.open()
      },
    ],
    [
      'for paths that are ignored',
      async () => {
        await shop.work({ scope: { paths: ['package-lock.json'] } })
        return shop.open({ files: ['package-lock.json'] })
      },
    ],
  ])('%s', async (_, given) => {
    const number = await given()
    await shop.pass(2 * QUIET_MS)
    expect(shop.desk.comments(number)).toEqual([])
    expect(shop.writes()).toEqual([])
    // The pull request is followed all the same.
    const { body } = await shop.ask('GET', '/activity')
    expect(body.items.map((item: { pr_url: string }) => item.pr_url)).toContain(
      `https://github.com/${shop.full_name}/pull/${number}`,
    )
  })
})

describe('settings decide who is told', () => {
  test('min_severity: low tells of areas alone, high only of what is high', async () => {
    await shop.write('.github/deconflict.yml', 'comment: {min_severity: high}')
    await shop.work({ branch: 'mine', scope: { areas: ['payments'], paths: ['src/pay.ts'] } })
    const number = await shop.open({ head: 'mine' })
    await shop.work({ title: 'By path' })
    await shop.work({ title: 'By area', branch: 'area', scope: { areas: ['payments'] } })
    expect(shop.comment(number)).toBeUndefined()
    await shop.write('.github/deconflict.yml', 'comment: {min_severity: medium}')
    expect(shop.comment(number)).toContain('`By path`')
    expect(shop.comment(number)).not.toContain('`By area`')
    await shop.pass(QUIET_MS)
    await shop.write('.github/deconflict.yml', 'comment: {min_severity: low}')
    expect(shop.comment(number)).toMatch(/`By area` on `area` .* \| `area payments` \| low \|/)
  })

  test.each(['comment_on_bots: true', 'comment: {on_bots: true}'])(
    '%s gives the pull requests of bots a comment',
    async (text) => {
      await shop.write('.github/deconflict.yml', text)
      await shop.work()
      const number = await shop.open({ author: { login: 'renovate[bot]', type: 'Bot' } })
      expect(shop.comment(number)).toContain('one other work')
    },
  )

  test.each<[string, string[], string[]]>([
    ['draft_min_severity: medium', ['Harmless', 'Careful'], ['By area']],
    ['draft_min_severity: low, min_severity: high', ['Harmless', 'Careful', 'By area'], []],
  ])('a draft with {%s} shows what reaches that', async (text, shown, left_out) => {
    await shop.write('.github/deconflict.yml', `comment: {${text}}`)
    await shop.work({ title: 'Careful', risk: 'high' })
    await shop.work({ title: 'Harmless', branch: 'other' })
    await shop.work({ branch: 'mine', scope: { areas: ['payments'], paths: ['src/pay.ts'] } })
    await shop.work({ title: 'By area', branch: 'area', scope: { areas: ['payments'] } })
    const number = await shop.open({ head: 'mine', draft: true })
    for (const title of shown) expect(shop.comment(number)).toContain(`\`${title}\``)
    for (const title of left_out) expect(shop.comment(number)).not.toContain(`\`${title}\``)
  })

  test('a draft is told of what is high, and of the rest once it is ready', async () => {
    await shop.work({ title: 'Careful', risk: 'high' })
    await shop.work({ title: 'Harmless', branch: 'other' })
    const number = await shop.open({ draft: true })
    expect(shop.comment(number)).toContain('`Careful`')
    expect(shop.comment(number)).not.toContain('`Harmless`')
    shop.desk.update(number, { draft: false })
    await shop.tell(number, 'ready_for_review')
    await shop.pass(QUIET_MS)
    expect(shop.comment(number)).toContain('`Harmless`')
    expect(shop.writes()).toEqual([CREATED, EDITED])
  })
})

describe('what is gone is not called gone when it was only not looked at', () => {
  const told_of = async () => {
    await shop.work()
    const number = await shop.open()
    expect(shop.comment(number)).toContain('`Retry payments`')
    await shop.pass(QUIET_MS)
    return number
  }

  test.each<[string, (number: number) => Promise<unknown>, string, string]>([
    [
      'the threshold rose',
      () => shop.write('.github/deconflict.yml', 'comment: {min_severity: high}'),
      'Overlap below the threshold',
      'This repository shows `high` severity and above',
    ],
    [
      'it became a draft',
      (number) => {
        shop.desk.update(number, { draft: true })
        return shop.tell(number, 'converted_to_draft')
      },
      'Overlap below the threshold',
      'This is a draft',
    ],
    [
      'its files are ignored',
      () => shop.write('.github/deconflict.yml', 'ignore_paths: [src/**]'),
      'Not compared',
      'ignore every file that this changes (`ignore_paths`)',
    ],
    [
      'it changes no files any more',
      (number) => shop.push(number, []),
      'Not compared',
      'names neither paths nor areas',
    ],
    [
      'its activity was archived',
      async () => {
        const { items } = (await shop.ask('GET', '/activity')).body
        const { id } = items.find((item: { source: string }) => item.source === 'pull_request')
        await shop.ask('POST', `/activity/${id}/archive`)
        await shop.pass(0)
      },
      'Not compared',
      'was archived, finished or has expired',
    ],
  ])('%s', async (_, happen, heading, words) => {
    const number = await told_of()
    await happen(number)
    expect(shop.comment(number)).toContain(`\n\n### ${heading}\n\n`)
    expect(shop.comment(number)).toContain(words)
    expect(shop.comment(number)).not.toContain('No overlap')
    expect(shop.writes()).toEqual([CREATED, EDITED])
  })

  test('and what is gone says with what it was compared; work elsewhere does not write that anew', async () => {
    const id = await shop.work()
    await shop.work({ branch: 'aside', scope: { paths: ['docs/**'] } })
    const number = await shop.open()
    await shop.pass(QUIET_MS)
    await shop.ask('POST', `/activity/${id}/archive`)
    await shop.pass(0)
    expect(shop.comment(number)).toMatch(GONE)
    expect(shop.comment(number)).toContain('Compared with 1 other live activity and 0 active notables')
    await shop.pass(QUIET_MS)
    await shop.note({ scope: { paths: ['docs/**'] } })
    await shop.tell(number, 'labeled')
    await shop.pass(QUIET_MS)
    expect(shop.writes()).toEqual([CREATED, EDITED])
  })
})

describe('a change elsewhere reaches every pull request that it touches', () => {
  test('new work, its changed scope, and its end', async () => {
    const number = await shop.open()
    const aside = await shop.open({ files: ['docs/a.md'] })
    const id = await shop.work({ title: 'Retry payments' })
    expect(shop.comment(number)).toContain('`Retry payments`')
    expect(shop.comment(aside)).toBeUndefined()

    await shop.pass(QUIET_MS)
    await shop.ask('PATCH', `/activity/${id}`, { body: { scope: { paths: ['docs/**'] } } })
    await shop.pass(0)
    expect(shop.comment(number)).toMatch(GONE)
    expect(shop.comment(aside)).toContain('`Retry payments`')

    await shop.pass(QUIET_MS)
    await shop.ask('POST', `/activity/${id}/archive`)
    await shop.pass(0)
    expect(shop.comment(aside)).toMatch(GONE)
    expect(shop.writes()).toEqual([CREATED, EDITED, CREATED, EDITED])
  })

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['archived', (id) => shop.ask('POST', `/activity/${id}/archive`)],
    ['abandoned', (id) => shop.ask('PATCH', `/activity/${id}`, { body: { status: 'abandoned' } })],
    [
      'expired',
      async () => {
        // The pull request itself lives on.
        const [own] = (await shop.ask('GET', '/activity')).body.items.filter(
          (item: { source: string }) => item.source === 'pull_request',
        )
        told.service.clock.advance(DAY_MS / 2)
        expect((await shop.ask('POST', `/activity/${own.id}/heartbeat`)).status).toBe(200)
        told.service.clock.advance(DAY_MS / 2)
        await sweep(told.service.app)
      },
    ],
  ])('work that is %s clears the comment', async (_, end) => {
    const id = await shop.work()
    const number = await shop.open()
    expect(shop.comment(number)).toContain('`Retry payments`')
    await shop.pass(QUIET_MS)
    await end(id)
    await shop.pass(0)
    expect(shop.comment(number)).toMatch(GONE)
    expect(shop.writes()).toEqual([CREATED, EDITED])
  })

  test('another pull request that is merged clears the comment; that of the merged one is left as it was', async () => {
    const merged = await shop.open({ head: 'retries' })
    const number = await shop.open({ head: 'tidy' })
    await shop.pass(QUIET_MS)
    const last = shop.comment(merged)
    shop.desk.merge(merged)
    await shop.tell(merged, 'closed')
    await shop.pass(QUIET_MS)
    expect(shop.comment(number)).toMatch(GONE)
    expect(shop.comment(merged)).toBe(last)
  })

  test('a notable that is raised, changed and archived', async () => {
    const number = await shop.open()
    const id = await shop.note({ title: 'Tills are frozen' })
    expect(shop.comment(number)).toContain(
      '- `Tills are frozen` (medium), for the whole repository'.replaceAll(
        '`the whole repository`',
        'the whole repository',
      ),
    )
    await shop.pass(QUIET_MS)
    await shop.ask('PATCH', `/notables/${id}`, { body: { title: 'Tills thaw' } })
    await shop.pass(0)
    expect(shop.comment(number)).toContain('`Tills thaw`')
    await shop.pass(QUIET_MS)
    await shop.ask('POST', `/notables/${id}/archive`)
    await shop.pass(0)
    expect(shop.comment(number)).toMatch(GONE)
  })

  test('another pull request that is made ready while its work is blocked', async () => {
    const other = await shop.open({ title: 'Other', draft: true })
    const [item] = (await shop.ask('GET', '/activity')).body.items
    await shop.ask('PATCH', `/activity/${item.id}`, { body: { status: 'blocked' } })
    const number = await shop.open()
    expect(shop.comment(number)).toMatch(/`Other` on .* \(draft\)/)
    await shop.pass(QUIET_MS)
    shop.desk.update(other, { draft: false })
    await shop.tell(other, 'ready_for_review')
    expect(shop.comment(number)).toMatch(/`Other` on .* \(ready for review\)/)
  })
})
