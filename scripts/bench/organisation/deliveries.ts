/** What people of a large organisation do, as the deliveries that GitHub sends about it. */
import { contentsOf } from '../../../test/support/github-pulls.ts'
import type { FakeRepository } from '../../../test/support/github-repository.ts'
import type { GithubWorld } from '../../../test/support/github-world.ts'
import type { Webhook } from '../../../test/support/webhook-payload.ts'
import { pullRequestEvent, pushEvent, refEvent } from '../../../test/support/webhooks.ts'
import { randomOf } from '../../random.ts'
import { fileOf, filesOf, fullNameOf } from './state.ts'

/** What happens, and how often: of 100 deliveries, 40 are about pushes to pull requests. */
const WEIGHTS = { pushed: 20, opened: 4, merged: 3, labeled: 15, edited: 10, assigned: 8, committed: 10 }
type Action = keyof typeof WEIGHTS

const ACTIONS = Object.entries(WEIGHTS).flatMap(([action, weight]) =>
  Array<Action>(weight).fill(action as Action),
)

/** The first two pull requests of each repository conflict when it is their turn; the others are left to chance. */
const FIRST_OTHER = 3

export interface Sent {
  webhook: Webhook
  /** The pull request that must get a comment because of this delivery. */
  conflict?: { full_name: string; number: number }
}

export class Organisation {
  readonly #github: GithubWorld
  readonly #repositories: number
  readonly #random = randomOf(1)
  #version = 0
  #conflicts = 0

  constructor(github: GithubWorld, repositories: number) {
    this.#github = github
    this.#repositories = repositories
  }

  /** `count` deliveries, of which `conflicts` bring a conflict about, anywhere among the others, in repositories that had none before. */
  next(count: number, conflicts: number): Sent[] {
    const found = Array.from({ length: conflicts }, () => this.#conflict())
    const others: Sent[] = []
    while (others.length < count - found.flat().length) others.push(...this.#any())
    const sent = others.slice(0, count - found.flat().length)
    for (const conflict of found) sent.splice(this.#random(sent.length + 1), 0, ...conflict)
    return sent
  }

  #conflict(): Sent[] {
    const full_name = fullNameOf((this.#conflicts * 7) % this.#repositories)
    this.#conflicts += 1
    const number = 1
    const files = [...filesOf(number, 0), fileOf(2, 0, `conflict ${this.#conflicts}`)]
    const [push, synchronize] = this.#pushed(full_name, number, files)
    return [{ webhook: push }, { webhook: synchronize, conflict: { full_name, number } }]
  }

  #any(): Sent[] {
    const action = ACTIONS[this.#random(ACTIONS.length)] as Action
    const full_name = fullNameOf(this.#random(this.#repositories))
    const at = this.#github.at(full_name)
    const { pulls } = contentsOf(this.#github.state, at.repository)
    const open = pulls.filter(({ number, state }) => number >= FIRST_OTHER && state === 'open')
    const pull = open[this.#random(open.length)]
    const webhooks = pull ? this.#deliveries(action, at, pull.number) : []
    return webhooks.map((webhook) => ({ webhook }))
  }

  #deliveries(action: Action, at: FakeRepository, number: number): Webhook[] {
    const github = this.#github
    const { full_name } = at.repository
    this.#version += 1
    const version = this.#version
    switch (action) {
      case 'pushed':
        return this.#pushed(full_name, number, filesOf(number, version))
      case 'opened': {
        const head = `work-${version}`
        const pull = at.open({ head, author: `person-${version % 500}`, files: filesOf(1000 + version, 0) })
        return [
          pushEvent(github, full_name, { ref: `refs/heads/${head}`, after: pull.head.sha }),
          pullRequestEvent(github, full_name, pull.number, 'opened'),
        ]
      }
      case 'merged': {
        const { ref: branch } = at.pull(number).head
        const { base } = at.merge(number)
        const after = at.pull(number).merge_commit_sha ?? undefined
        return [
          pullRequestEvent(github, full_name, number, 'closed'),
          pushEvent(github, full_name, {
            ref: `refs/heads/${base.ref}`,
            before: base.sha,
            ...(after && { after }),
          }),
          refEvent(github, full_name, 'delete', { branch }),
        ]
      }
      case 'labeled':
        at.update(number, { labels: [`label-${version % 10}`] })
        return [pullRequestEvent(github, full_name, number, { action, label: `label-${version % 10}` })]
      case 'edited': {
        const { title } = at.pull(number)
        at.update(number, { title: `Change ${version}` })
        return [pullRequestEvent(github, full_name, number, { action, from: { title } })]
      }
      case 'assigned':
        at.update(number, { assignees: [`person-${version % 500}`] })
        return [pullRequestEvent(github, full_name, number, action)]
      case 'committed':
        return [pushEvent(github, full_name, { ...at.push('main'), modified: ['src/main.ts'] })]
    }
  }

  #pushed(full_name: string, number: number, files: ReturnType<typeof filesOf>): [Webhook, Webhook] {
    const at = this.#github.at(full_name)
    at.update(number, { files })
    const push = at.pushTo(number)
    return [
      pushEvent(this.#github, full_name, push),
      pullRequestEvent(this.#github, full_name, number, { action: 'synchronize', push }),
    ]
  }
}
