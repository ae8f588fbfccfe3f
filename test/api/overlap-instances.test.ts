/** What two instances that share a PostgreSQL database see of each other: random schedules of creates, changes and ends at once. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ACTIVITY } from '../support/routes.ts'
import { type TestService, useInstances } from '../support/service.ts'

/** Schedules per run. Set the variable for a longer run. */
const SCHEDULES = Number(process.env.SCHEDULES ?? 15)

/** Which paths meet, by name. */
const PATHS = { src: 'src', all: 'src/a/**', one: 'src/a/x.ts', other: 'src/b.ts' } as const
type PathName = keyof typeof PATHS
const APART: [PathName, PathName][] = [
  ['all', 'other'],
  ['one', 'other'],
]
const meet = (one: PathName, other: PathName) =>
  !APART.some((pair) => one !== other && pair.includes(one) && pair.includes(other))

const name = fc.constantFrom(...(Object.keys(PATHS) as PathName[]))
const step = fc.record({
  instance: fc.nat(1),
  name,
  what: fc.constantFrom('create', 'move', 'archive', 'heartbeat'),
  which: fc.nat(),
})

const { github, instances } = useInstances()
let repositories = 0

test('of two that meet at once, at least one is told of the other, and afterwards both instances know the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
      async (rounds) => {
        repositories += 1
        const full_name = `acme/s${repositories}`
        github.repository({ id: 5000 + repositories, full_name })
        github.token('ada', { login: 'ada', id: 1, permissions: { [full_name]: 'write' } })
        const call = (instance: number, method: string, path: string, body?: object) =>
          (instances[instance] as TestService).api(method, `/api/v1/repos/${full_name}${path}`, { body })
        const live = new Map<string, PathName>()
        for (const round of rounds) {
          const before = [...live.keys()]
          const taken = new Set<string>()
          const created: { id: string; name: PathName; told: string[] }[] = []
          await Promise.all(
            round.map(async ({ instance, name, what, which }) => {
              const id = before[which % Math.max(before.length, 1)]
              const scope = { paths: [PATHS[name]] }
              if (what === 'create' || id === undefined || taken.has(id)) {
                const body = { ...ACTIVITY, branch: `b${Math.random()}`, base_branch: null, scope }
                const answer = await call(instance, 'POST', '/activity', body)
                expect(answer.status).toBe(201)
                const { activity, overlap } = answer.body
                created.push({ id: activity.id, name, told: overlap.related_activity_ids })
                return
              }
              taken.add(id)
              const address = `/activity/${id}`
              if (what === 'move') {
                expect((await call(instance, 'PATCH', address, { scope })).status).toBe(200)
                live.set(id, name)
              }
              if (what === 'archive') {
                expect((await call(instance, 'POST', `${address}/archive`)).status).toBe(200)
                live.delete(id)
              }
              if (what === 'heartbeat')
                expect((await call(instance, 'POST', `${address}/heartbeat`)).status).toBe(200)
            }),
          )
          for (const [at, one] of created.entries())
            for (const other of created.slice(at + 1))
              expect(one.told.includes(other.id) || other.told.includes(one.id)).toBe(
                meet(one.name, other.name),
              )
          for (const { id, name } of created) live.set(id, name)
          for (const instance of [0, 1])
            for (const name of Object.keys(PATHS) as PathName[]) {
              const { body } = await call(instance, 'POST', '/activity/check', {
                scope: { paths: [PATHS[name]] },
              })
              const expected = [...live].filter(([, theirs]) => meet(name, theirs)).map(([id]) => id)
              expect(body.related_activity_ids.toSorted()).toEqual(expected.sort())
            }
        }
      },
    ),
    { numRuns: SCHEDULES },
  )
})
