/** A pull request has one comment of the App, which is edited in place and at a limited rate, whatever other comments exist. */
import { describe, expect, test } from 'vitest'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'

const { github, repository } = usePullRequests({ settings: 'comment: {audience: both}' })

const MARKER = '<!-- deconflict:pull-request -->'
const MUTE = 'deconflict:mute'
const CREATED = expect.stringMatching(/^POST \/issues\/\d+\/comments$/)
const EDITED = expect.stringMatching(/^PATCH \/issues\/comments\/\d+$/)
const GONE = /^\*\*No overlap any more\.\*\* /m
const archive = (id: string) => repository.request('POST', `/activity/${id}/archive`)

describe('one comment per pull request', () => {
  test('an overlap that ends, returns and ends again edits the same comment', async () => {
    let id = await repository.createActivity()
    const number = await repository.open()
    const [first] = repository.githubRepo.comments(number)
    for (const _ of [1, 2]) {
      await archive(id)
      await repository.advance(QUIET_MS)
      expect(repository.comment(number)).toMatch(GONE)
      id = await repository.createActivity()
      await repository.advance(QUIET_MS)
      expect(repository.comment(number)).toContain('Severity: ')
    }
    expect(repository.githubRepo.comments(number).map((comment) => comment.id)).toEqual([first?.id])
    expect(repository.writes()).toEqual([CREATED, EDITED, EDITED, EDITED, EDITED])
  })

  test('no call is made when the text is unchanged', async () => {
    const id = await repository.createActivity()
    const number = await repository.open()
    await repository.advance(QUIET_MS)
    const before = repository.calls().length
    await repository.request('POST', `/activity/${id}/heartbeat`)
    await repository.request('PATCH', `/activity/${id}`, { body: { summary: 'Retries three times.' } })
    await repository.advance(QUIET_MS)
    await repository.deliver(number, 'labeled')
    await repository.createActivity({ branch: 'aside', scope: { paths: ['docs/**'] } })
    await repository.advance(QUIET_MS)
    expect(repository.calls().length).toBe(before)
  })

  // Threat: Taking over somebody's comment
  test('only a comment written by this App counts as its own, not one that quotes it', async () => {
    const number = repository.githubRepo.open({ files: ['src/pay.ts'] }).number
    const quoting = [
      repository.githubRepo.comment(number, { author: 'mallory', body: `${MARKER}\n\nHa!` }),
      repository.githubRepo.comment(number, { author: 'deconflict[bot]', body: MARKER }),
      repository.githubRepo.comment(number, { author: 'other[bot]', body: `${MARKER}\n`, app: 'other' }),
    ].map(({ id, body }) => ({ id, body }))
    await repository.createActivity()
    await repository.deliver(number, 'opened')
    expect(repository.comment(number)).toContain('Severity: ')
    await repository.advance(QUIET_MS)
    await repository.createActivity({ branch: 'more' })
    expect(repository.comment(number)).toContain('2 other activities')
    expect(repository.writes()).toEqual([CREATED, EDITED])
    expect(repository.githubRepo.comments(number).slice(0, 3)).toMatchObject(quoting)
  })

  test('a comment lost in a crash is found again on any page', async () => {
    await repository.createActivity()
    const number = repository.githubRepo.open({ files: ['src/pay.ts'] }).number
    for (let count = 0; count < 120; count += 1)
      repository.githubRepo.comment(number, { author: 'ben', body: 'Hm.' })
    repository.githubRepo.comment(number, {
      author: 'deconflict[bot]',
      body: `${MARKER}\n\nOld`,
      app: 'deconflict',
    })
    await repository.deliver(number, 'opened')
    expect(repository.comment(number)).toContain('Severity: ')
    expect(repository.writes()).toEqual([EDITED])
  })

  test('a deleted comment is not created again for the same work', async () => {
    const id = await repository.createActivity()
    const number = await repository.open()
    for (const { id } of repository.githubRepo.comments(number)) repository.githubRepo.removeComment(id)
    for (const title of ['b', 'c']) {
      await repository.advance(QUIET_MS)
      await repository.request('PATCH', `/activity/${id}`, { body: { title } })
    }
    await repository.advance(QUIET_MS)
    expect(repository.githubRepo.comments(number)).toEqual([])
    expect(repository.writes()).toEqual([CREATED, EDITED])
  })

  test('a comment that GitHub failed to create is created later', async () => {
    await repository.createActivity()
    const number = repository.githubRepo.open({ files: ['src/pay.ts'] }).number
    github.fault(`POST /repos/${repository.full_name}/issues/*`, 'bad_gateway', 1)
    await repository.deliver(number, 'opened').catch(() => {})
    expect(repository.githubRepo.comments(number)).toEqual([])
    await repository.advance(QUIET_MS)
    expect(repository.comment(number)).toContain('Severity: ')
  })

  test('a comment whose response was lost is not created twice', async () => {
    await repository.createActivity()
    const number = repository.githubRepo.open({ files: ['src/pay.ts'] }).number
    github.fault(`POST /repos/${repository.full_name}/issues/*`, 'lost', 1)
    await repository.deliver(number, 'opened').catch(() => {})
    await repository.advance(QUIET_MS)
    await repository.advance(QUIET_MS)
    expect(repository.comment(number)).toContain('Severity: ')
    expect(repository.writes().filter((route) => route.startsWith('POST'))).toHaveLength(1)
  })

  test('a comment whose response was lost is updated when its overlap ends', async () => {
    const id = await repository.createActivity()
    const number = repository.githubRepo.open({ files: ['src/pay.ts'] }).number
    github.fault(`POST /repos/${repository.full_name}/issues/*`, 'lost', 1)
    await repository.deliver(number, 'opened').catch(() => {})
    await archive(id)
    await repository.advance(QUIET_MS)
    expect(repository.comment(number)).toMatch(GONE)
    expect(repository.githubRepo.comments(number)).toHaveLength(1)
  })
})

describe('at most one edit in 30 seconds', () => {
  test('changes within the interval share one edit', async () => {
    await repository.createActivity()
    const number = await repository.open()
    for (const branch of ['b', 'c', 'd', 'e']) {
      await repository.createActivity({ branch })
      await repository.advance(QUIET_MS / 10)
    }
    expect(repository.writes()).toEqual([CREATED])
    expect(repository.comment(number)).toContain('Severity: ')
    await repository.advance(QUIET_MS / 2)
    expect(repository.writes()).toEqual([CREATED])
    await repository.advance(QUIET_MS / 10)
    expect(repository.comment(number)).toContain('5 other activities')
    expect(repository.writes()).toEqual([CREATED, EDITED])
  })

  test('a change that is undone within the interval is not published', async () => {
    await repository.createActivity()
    await repository.open()
    await archive(await repository.createActivity({ branch: 'brief' }))
    await repository.advance(2 * QUIET_MS)
    expect(repository.writes()).toEqual([CREATED])
  })
})

describe('the label deconflict:mute', () => {
  const label = async (number: number, isOn: boolean) => {
    repository.githubRepo.update(number, { labels: isOn ? ['bug', MUTE] : ['bug'] })
    await repository.deliver(number, { action: isOn ? 'labeled' : 'unlabeled', label: MUTE })
    await repository.advance(QUIET_MS)
  }

  test('mutes a pull request; removing it restores the comment', async () => {
    await repository.createActivity()
    const number = await repository.open()
    await label(number, true)
    expect(repository.comment(number)).toMatch(/^\*\*Muted\*\* /m)
    await repository.createActivity({ branch: 'more' })
    await repository.advance(QUIET_MS)
    expect(repository.comment(number)).toMatch(/^\*\*Muted\*\* /m)
    await label(number, false)
    expect(repository.comment(number)).toContain('2 other activities')
    expect(repository.writes()).toEqual([CREATED, EDITED, EDITED])
  })

  test('prevents a comment until it is removed', async () => {
    const number = await repository.open({ labels: [MUTE] })
    await repository.createActivity({ risk: 'high' })
    await repository.advance(QUIET_MS)
    expect(repository.writes()).toEqual([])
    await label(number, false)
    expect(repository.comment(number)).toContain('Severity: ')
  })

  test('other labels change nothing', async () => {
    await repository.createActivity()
    const number = await repository.open()
    repository.githubRepo.update(number, { labels: ['deconflict', 'mute'] })
    await repository.deliver(number, { action: 'labeled', label: 'mute' })
    await repository.advance(QUIET_MS)
    expect(repository.writes()).toEqual([CREATED])
  })
})

describe('several activities are listed as one', () => {
  const sentence = (number: number) => repository.comment(number)?.split('\n\n')[1]

  test('of one branch', async () => {
    await repository.createActivity({ title: 'One', scope: { paths: ['src/pay.ts'] } })
    await repository.createActivity({ title: 'Two', scope: { paths: ['src/till.ts'] } })
    const number = await repository.open({ files: ['src/pay.ts', 'src/till.ts'] })
    expect(sentence(number)).toContain('overlaps with this pull request in 2 files.')
    expect(repository.comment(number)).toMatch(/^- `src\/(pay|till)\.ts`\n- `src\/(pay|till)\.ts`$/m)
  })

  test('of one pull request, including what was declared on its branch', async () => {
    await repository.createActivity({ title: 'One' })
    await repository.createActivity({ title: 'Two' })
    const other = await repository.open({ head: 'retries', files: [], draft: true })
    await repository.createActivity({ title: 'Three', risk: 'high' })
    const number = await repository.open({ head: 'tidy' })
    expect(sentence(number)).toContain(`[\`#${other}\`](`)
    expect(repository.comment(number)).toContain('Severity: high')
  })
})
