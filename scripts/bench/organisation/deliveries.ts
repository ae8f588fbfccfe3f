/** What people of a large organisation do, as the deliveries that GitHub sends about it. */
import { contentsOf } from '../../../test/support/github-pulls.ts'
import type { GithubWorld } from '../../../test/support/github-world.ts'
import type { Webhook } from '../../../test/support/webhook-payload.ts'
import { pullRequestEvent, pushEvent, refEvent } from '../../../test/support/webhooks.ts'
import { fileOf, filesOf, fullNameOf } from './repositories.ts'

/** What happens, and how often: of 100 deliveries, 40 are about pushes to pull requests. */
const WEIGHTS = { pushed: 20, opened: 4, merged: 3, edited: 33, committed: 10 }
type Action = keyof typeof WEIGHTS
const ACTIONS = Object.entries(WEIGHTS).flatMap(([action, weight]) =>
  Array<Action>(weight).fill(action as Action),
)
/** The first two pull requests of each repository conflict when it is their turn; the others are left to chance. */
const FIRST_OTHER = 3

interface Delivery {
  webhook: Webhook
  /** The pull request that must get a comment because of this delivery. */
  conflict?: { full_name: string; number: number }
}

const below = (bound: number) => Math.floor(Math.random() * bound)

export class Deliveries {
  readonly #github: GithubWorld
  readonly #repositories: number
  #version = 0
  #conflicts = 0

  constructor(github: GithubWorld, repositories: number) {
    this.#github = github
    this.#repositories = repositories
  }

  /** `count` deliveries, of which `conflicts` bring a conflict about, anywhere among the others, in repositories that had none before. */
  next(count: number, conflicts: number): Delivery[] {
    const found = Array.from({ length: conflicts }, () => this.#conflict())
    const most = count - found.flat().length
    const others: Delivery[] = []
    while (others.length < most) others.push(...this.#any())
    const sent = others.slice(0, most)
    for (const conflict of found) sent.splice(below(sent.length + 1), 0, ...conflict)
    return sent
  }

  #conflict(): Delivery[] {
    const full_name = fullNameOf((this.#conflicts * 7) % this.#repositories)
    this.#conflicts += 1
    const number = 1
    const files = [...filesOf(number, 0), fileOf(2, 0, `conflict ${this.#conflicts}`)]
    const [push, synchronize] = this.#pushed(full_name, number, files)
    return [{ webhook: push }, { webhook: synchronize, conflict: { full_name, number } }]
  }

  #any(): Delivery[] {
    const action = ACTIONS[below(ACTIONS.length)] as Action
    const full_name = fullNameOf(below(this.#repositories))
    const { pulls } = contentsOf(this.#github.state, this.#github.at(full_name).repository)
    const open = pulls.filter(({ number, state }) => number >= FIRST_OTHER && state === 'open')
    const pull = open[below(open.length)]
    const webhooks = pull ? this.#deliveries(action, full_name, pull.number) : []
    return webhooks.map((webhook) => ({ webhook }))
  }

  #deliveries(action: Action, full_name: string, number: number): Webhook[] {
    const github = this.#github
    const at = github.at(full_name)
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
        const after = at.pull(number).merge_commit_sha
        const moved = { ref: `refs/heads/${base.ref}`, before: base.sha, ...(after && { after }) }
        return [
          pullRequestEvent(github, full_name, number, 'closed'),
          pushEvent(github, full_name, moved),
          refEvent(github, full_name, 'delete', { branch }),
        ]
      }
      case 'edited': {
        const { title } = at.pull(number)
        at.update(number, { title: `Change ${version}` })
        return [pullRequestEvent(github, full_name, number, { action, from: { title } })]
      }
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
