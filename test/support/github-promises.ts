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

/** Opens a pull request that changes the same file as the others, or pushes to it. */
async function propose(
  { call, letter, random, subject, deployment, own }: Client,
  name: string,
): Promise<unknown> {
  const { github } = deployment
  const repository = github.at(nameOf(subject))
  const [known] = own.values()
  const number =
    known === undefined ? repository.open({ author: letter, files: ['src/pay.ts'] }).number : Number(known)
  own.set('pull', `${number}`)
  if (known !== undefined) repository.pushTo(number)
  if (random() < 0.3) github.fault(`POST /repos/${nameOf(subject)}/issues/*`, 'lost', 1)
  const event = pullRequestEvent(
    github,
    nameOf(subject),
    number,
    known === undefined ? 'opened' : 'synchronize',
  )
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
      const tracked = async () => (await api('GET', pathOf(subject, '/activity'))).body.items
      await expect.poll(tracked, { timeout: COMMENTED_MS }).toHaveLength(pulls.length)
    },
    explains: () => true,
  },
}
