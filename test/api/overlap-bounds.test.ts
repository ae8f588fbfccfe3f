/** The limits of an overlap check: how many results it lists, in which order, and how it reports an exhausted budget. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { activities } from '../../src/server/activities/table.ts'
import { notables } from '../../src/server/notables/table.ts'
import { fakeGithub } from '../support/github.ts'
import { freshRepositories } from '../support/repository.ts'
import { startTestService, type TestService } from '../support/service.ts'

const github = fakeGithub()
const repository = freshRepositories(github, () => service)
let service: TestService

beforeAll(async () => {
  service = await startTestService({ token: 'ada', config: { rate_limit_per_minute: 1_000_000 } })
})

afterAll(async () => {
  await service.close()
  github.close()
})

const scope = { paths: ['src/pay.ts'] }

/** An id with this number; ids sort in the order of their numbers. */
const idOf = (index: number) => `act_${String(index).padStart(26, '0')}`
const range = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('the result lists', () => {
  test('the most severe come first, then the newest', async () => {
    const { createActivity, createNotable, check } = repository()
    const areas = ['pay']
    const ids: Record<string, string> = {}
    for (const round of ['older', 'newer']) {
      ids[`${round} high`] = await createActivity({ risk: 'critical', scope })
      ids[`${round} low`] = await createActivity({ scope: { areas } })
      ids[`${round} medium`] = await createActivity({ scope })
      ids[`${round} blocking`] = await createActivity({ blocking: true, scope: { areas } })
      ids[`${round} low note`] = await createNotable({ scope })
      ids[`${round} high note`] = await createNotable({ importance: 'high', scope })
    }
    const result = await check({ scope: { ...scope, areas } })
    const listed = (...names: string[]) => names.map((name) => ids[name])
    expect(result.related_activity_ids).toEqual(
      listed(
        'newer blocking',
        'newer high',
        'older blocking',
        'older high',
        'newer medium',
        'older medium',
        'newer low',
        'older low',
      ),
    )
    expect(result.related_notable_ids).toEqual(
      listed('newer high note', 'older high note', 'newer low note', 'older low note'),
    )
    expect(result.matches.map((each) => each.id)).toEqual([
      ...result.related_activity_ids,
      ...result.related_notable_ids,
    ])
    expect(result).toMatchObject({ truncated: false, total_related: 12 })
  })

  test('the 200 most severe of more than 200 collisions, and the total', async () => {
    const { request, createActivity, createNotable, check, insertActivities } = repository()
    const isGrave = (index: number) => index % 50 === 0
    const risk = (index: number) => (isGrave(index) ? 'high' : 'low')
    await insertActivities(
      range(450).map((index) => ({ id: idOf(index), risk: risk(index), scope: { areas: [], ...scope } })),
    )
    const notable = await createNotable({ scope })
    const newestFirst = range(450).reverse()
    const expected = [...newestFirst.filter(isGrave), ...newestFirst.filter((index) => !isGrave(index))]
    const listed = expected.slice(0, 200).map(idOf)
    const result = await check({ scope })
    expect(result.related_activity_ids).toEqual(listed)
    expect(result).toMatchObject({ severity: 'high', truncated: true, total_related: 451 })
    expect(result.checked_against).toMatchObject({ activities: 450, notables: 1, complete: true })
    expect(Object.keys(result.relationships).sort()).toEqual([...listed].sort())
    expect(result.matches.map((each) => each.id)).toEqual([...listed, notable])
    expect(result.reason).toMatch(/448 more/)
    const self = await createActivity({ scope: { areas: ['pay'], ...scope }, branch: 'self' })
    const { matches, ...brief } = (await request('GET', `/activity/${self}`)).body.overlap
    expect(brief).toEqual({ overlap_detected: true, severity: 'high', related_activity_ids: listed })
    expect(matches).toHaveLength(5)
  })

  test('all of exactly 200 collisions', async () => {
    const { check, insertActivities } = repository()
    await insertActivities(range(200).map((index) => ({ id: idOf(index), scope: { areas: [], ...scope } })))
    const result = await check({ scope })
    expect(result.related_activity_ids).toHaveLength(200)
    expect(result).toMatchObject({ truncated: false, total_related: 200 })
  })

  test('the 200 most severe of more than 200 notables', async () => {
    const { createNotable, check, insertCopies } = repository()
    const mild = await createNotable({ scope })
    await insertCopies(notables, mild, 210)
    const grave = await createNotable({ importance: 'high', scope })
    const mildToo = await createNotable({ importance: 'low', scope })
    const result = await check({ scope })
    expect(result.related_notable_ids).toHaveLength(200)
    expect(result.related_notable_ids.slice(0, 3)).toEqual([grave, mildToo, mild])
    expect(result).toMatchObject({ severity: 'high', truncated: true, total_related: 213 })
  })

  test('the 200 newest of more than 200 activities of the own branch, and no related ones', async () => {
    const { check, insertActivities } = repository()
    await insertActivities(
      range(205).map((index) => ({ id: idOf(index), branch: 'own', scope: { areas: [], ...scope } })),
    )
    const result = await check({ scope, branch: 'own' })
    expect(result.expected_activity_ids).toEqual(range(205).reverse().slice(0, 200).map(idOf))
    expect(result).toMatchObject({ overlap_detected: false, truncated: true, total_related: 0 })
  })

  test('at most 20 pairs of paths of each match', async () => {
    const { createActivity, check } = repository()
    const files = range(25).map((index) => `src/a${index}.ts`)
    const many = await createActivity({ scope: { paths: files } })
    const some = await createActivity({ scope: { paths: [...files.slice(0, 19), 'docs/**'] } })
    const { matches } = await check({ scope: { paths: ['src/*'] } })
    const pairsOf = (id: string) => matches.find((match) => match.id === id)?.paths
    expect(pairsOf(some)).toMatchObject(
      files.slice(0, 19).map((file) => ({ yours: 'src/*', theirs: file, example: file })),
    )
    expect(pairsOf(many)).toHaveLength(20)
  })
})

/** 200 valid globs of up to 512 characters with `count` alternatives each. They share no path with those of another `side`, but it is expensive to find that out. */
function hostileScope(side: 'x' | 'y' | 'z', count = 64): { paths: string[] } {
  const alternatives = range(count).map((index) => `*${String.fromCharCode(97 + (index % 26))}${index}*`)
  const paths = range(200).map((index) => {
    const head = `{${alternatives.join()}}`
    const tail = `**/*${index}*[${side}${side}]`
    const middle = '*a'.repeat(Math.floor((511 - head.length - tail.length) / 2))
    return `${head}${middle}/${tail}`
  })
  return { paths }
}

describe('a check that exceeds the work budget', () => {
  // One of them exhausts the budget.
  const theirs = hostileScope('x')
  const mine = { paths: [...scope.paths, ...hostileScope('y', 4).paths.slice(1)] }

  // Threat: Globs that are expensive to compare
  test('reports that it is incomplete and how many it compared: the most severe first, then the newest', async () => {
    const { createActivity, createNotable, check, insertCopies } = repository()
    // Patterns, which the index cannot decide. The files of `mine` match all of the simple ones.
    const pattern = (end: string) => ({ paths: [`src/p*${end}`] })
    const grave = await createActivity({ risk: 'critical', scope: pattern('y.ts') })
    const older = await createActivity({ scope: pattern('.ts') })
    await insertCopies(activities, await createActivity({ scope: theirs }), 4)
    const newest = await createActivity({ scope: pattern('ay.ts') })
    const plain = await createActivity({ scope })
    const graveNote = await createNotable({ blocking: true, scope: pattern('?.ts') })
    const olderNote = await createNotable({ scope: pattern('??.ts') })
    await insertCopies(notables, await createNotable({ scope: hostileScope('z') }), 4)
    const newestNote = await createNotable({ scope: pattern('[y].ts') })
    const result = await check({ scope: mine })
    expect(result.checked_against.complete).toBe(false)
    expect(result.related_activity_ids).toEqual([grave, plain, newest])
    expect(result.related_activity_ids).not.toContain(older)
    expect(result.related_notable_ids).toEqual([graveNote, newestNote])
    expect(result.related_notable_ids).not.toContain(olderNote)
    expect(result.checked_against).toMatchObject({ activities: 3, notables: 2 })
    expect(result.reason).toMatch(/exhausted its work budget/)
  })

  test('reports this for a scope that exceeds it while being parsed, and returns what it found', async () => {
    const { createActivity, check } = repository()
    const related = await createActivity({ scope })
    const pattern = await createActivity({ scope: { paths: ['src/p*y.ts'] } })
    await createActivity({ scope: { paths: ['docs/*.md'] } })
    const result = await check({ scope: { paths: [...scope.paths, ...hostileScope('y').paths.slice(1)] } })
    expect(result.related_activity_ids).toEqual([pattern, related])
    expect(result.checked_against).toMatchObject({ activities: 0, notables: 0, complete: false })
    expect(result.reason).toMatch(/exhausted its work budget/)
  })

  test('does not occur for the largest ordinary scope against as many patterns', async () => {
    const { check, insertActivities } = repository()
    const patterns = range(2000).map((index) => `packages/p${index}/**/*.{spec,test}.ts`)
    await insertActivities(
      range(20).map((index) => ({
        id: idOf(index),
        scope: { areas: [], paths: patterns.slice(100 * index, 100 * index + 100) },
      })),
    )
    const mine = range(200).map((index) =>
      index % 20 === 0 ? `**/part-${index}/*.md` : `packages/p${index}/src/*_{a,b}.md`,
    )
    const files = range(2800).map((index) => `packages/q${index % 50}/src/file-${index}.ts`)
    const result = await check({ scope: { paths: [...mine, ...files] } })
    expect(result.related_activity_ids).toEqual([])
    expect(result.checked_against).toMatchObject({ activities: 20, complete: true })
  })

  test('does not count a comparison that it did not finish', async () => {
    const { createActivity, createNotable, check } = repository()
    await createActivity({ scope: theirs })
    await createNotable({ scope: theirs })
    const { checked_against } = await check({ scope: mine })
    expect(checked_against).toMatchObject({ activities: 0, notables: 0, complete: false })
  })

  test('counts certain overlaps even when others stay undecided', async () => {
    const { createActivity, check } = repository()
    const id = await createActivity({ scope: { areas: ['pay'], paths: theirs.paths } })
    const result = await check({ scope: { areas: ['pay'], paths: mine.paths } })
    expect(result).toMatchObject({
      related_activity_ids: [id],
      checked_against: { activities: 1, complete: false },
    })
  })

  // Threat: Globs that are expensive to compare
  test('does not block other requests', async () => {
    const { check, createNotable, insertActivities } = repository()
    const hard = (index: number, end: string) => [`${'*a'.repeat(20)}${index}[${end}]`]
    await insertActivities(
      range(300).map((index) => ({ id: idOf(index), scope: { areas: [], paths: hard(index, 'xx') } })),
    )
    for (const nth of range(10))
      await createNotable({ scope: { paths: range(30).flatMap((index) => hard(30 * nth + index, 'zz')) } })
    const ended: string[] = []
    const long = check({ scope: { paths: [`${'*a'.repeat(250)}[yy]`] } })
    void long.then(() => ended.push('the check'))
    for (let count = 0; count < 10; count += 1) {
      expect((await service.api('GET', '/healthz')).status).toBe(200)
    }
    ended.push('10 requests, one after another')
    const { checked_against } = await long
    expect(ended).toEqual(['10 requests, one after another', 'the check'])
    expect(checked_against.complete).toBe(false)
    expect(checked_against.activities).toBeGreaterThan(10)
  })

  test('is incomplete for a create, a retrieval and a heartbeat too', async () => {
    const { request, create, createActivity, insertCopies } = repository()
    await insertCopies(activities, await createActivity({ scope: theirs }), 4)
    const newest = await createActivity({ scope })
    const { activity, overlap } = await create({ scope: mine, branch: 'mine' })
    expect(overlap).toMatchObject({ related_activity_ids: [newest], checked_against: { complete: false } })
    const brief = {
      overlap_detected: true,
      severity: 'medium',
      related_activity_ids: [newest],
      matches: [{ id: newest }],
    }
    expect((await request('GET', `/activity/${activity.id}`)).body.overlap).toMatchObject(brief)
    expect((await request('POST', `/activity/${activity.id}/heartbeat`)).body.overlap).toMatchObject(brief)
  })

  test('reports this for the scopes of its own branch too, and not an empty scope', async () => {
    const { createActivity, check, insertCopies } = repository()
    await insertCopies(activities, await createActivity({ branch: 'own', scope: theirs }), 9)
    await createActivity({ scope })
    const result = await check({ branch: 'own' })
    expect(result).toMatchObject({ overlap_detected: false, checked_against: { complete: false } })
    expect(result.reason).toMatch(/exhausted its work budget/)
    expect(result.reason).not.toMatch(/was given/)
  })

  test('a check compares with each of 20,000 activities and decides equal globs once', async () => {
    const { createActivity, check, insertCopies } = repository()
    await createActivity({ scope: { paths: ['docs/**'] } })
    const related = await createActivity({ scope: { paths: ['**/*.ts'] } })
    await insertCopies(activities, await createActivity({ scope: { paths: ['*.md'] } }), 20_000)
    const result = await check({ scope })
    expect(result.related_activity_ids).toEqual([related])
    expect(result.checked_against).toMatchObject({ activities: 20_003, complete: true })
  })
})
