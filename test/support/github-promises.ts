/** The promises of docs/reliability.md that hold against what GitHub says. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { apiAt } from './api.ts'
import { type Client, grant, type Input, nameOf, type Output, type Promised, pathOf } from './histories.ts'
import { isLinearizable, type Model } from './linearizable.ts'
import { pullRequestEvent } from './webhooks.ts'
import { memberEvent } from './webhooks-access.ts'

const seen: Model<boolean, Input, Output> = {
  initial: true,
  next(state, { verb }, output) {
    if (verb === 'look') return (output === 'seen') === state ? state : undefined
    return verb === 'start'
  },
}

/** By when every instance has heard of a delivery: after PostgreSQL was away, it listens again within a second. */
const HEARD_MS = 2000

/** The first client changes what the second one may see, and GitHub says so. */
async function regrant({ call, random, subject, deployment }: Client, name: string): Promise<unknown> {
  const permission = random() < 0.5 ? 'none' : 'write'
  const id = `${subject}-${name}`
  return call(
    { verb: permission === 'none' ? 'end' : 'start', name: 'permission' },
    async (_, url) => {
      grant(deployment.github, subject, 'b', permission)
      const action = permission === 'none' ? 'removed' : 'added'
      const event = memberEvent(deployment.github, nameOf(subject), action, `b-${subject}`)
      const status = await deployment.deliver(url, event, id)
      if (status === 202) await wait(HEARD_MS)
      return { status, body: null }
    },
    () => permission,
  )
}

/** Opens a pull request that changes the same file as the others, pushes to it, or changes its title. */
async function propose(client: Client, name: string): Promise<unknown> {
  const { call, letter, random, subject, deployment, own } = client
  const { github } = deployment
  const repository = github.at(nameOf(subject))
  const opened = { author: letter, title: name, files: ['src/pay.ts'] }
  const isNew = own.size === 0
  const action = isNew ? 'opened' : random() < 0.5 ? 'synchronize' : 'edited'
  const number = isNew ? repository.open(opened).number : Number(own.get('pull'))
  own.set('pull', `${number}`)
  if (action === 'synchronize') repository.pushTo(number)
  if (action === 'edited') repository.update(number, { title: name })
  if (random() < 0.3) github.fault(`POST /repos/${nameOf(subject)}/issues/*`, 'lost', 1)
  const event = pullRequestEvent(github, nameOf(subject), number, action)
  const send = () =>
    call(
      { verb: 'start', name },
      async (_, url) => ({ status: await deployment.deliver(url, event, `${subject}-${name}`), body: null }),
      () => number,
    )
  return Promise.all(random() < 0.3 ? [send(), send()] : [send()])
}

/** A job whose instance was killed is taken by another one after 30 seconds. */
const COMMENTED_MS = 120_000

export const GITHUB_PROMISES: Record<string, Promised> = {
  'nobody sees what GitHub hides': {
    is_apart: true,
    async act(client, name) {
      const { call, letter, random, subject, at } = client
      if (letter === 'a') return regrant(client, name)
      await wait(random() * HEARD_MS)
      return call(
        { verb: 'look', name: '' },
        async (api) => {
          const { status, body } = await api('GET', at('/activity'), { token: `b-${subject}` })
          return status === 403 ? { status: 200, body: null } : { status, body }
        },
        (body) => (body === null ? 'hidden' : 'seen'),
      )
    },
    explains: (history) => isLinearizable(history, seen),
  },
  'a pull request has one comment, and no delivery is lost': {
    is_apart: true,
    act: propose,
    async settle({ deployment: { github }, urls: [url = ''] }, subject) {
      const repository = github.at(nameOf(subject))
      const pulls = [1, 2, 3]
      const comments = () => Math.max(...pulls.map((number) => repository.comments(number).length))
      await expect.poll(comments, { timeout: COMMENTED_MS }).toBe(1)
      const api = apiAt(url, `a-${subject}`)
      const titles = async () =>
        (await api('GET', pathOf(subject, '/activity'))).body.items.map(
          ({ title }: { title: string }) => title,
        )
      const expected = pulls.map((number) => repository.pull(number).title)
      await expect.poll(titles, { timeout: COMMENTED_MS }).toEqual(expect.arrayContaining(expected))
    },
    explains: () => true,
  },
}
