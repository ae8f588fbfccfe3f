/** Every webhook example that GitHub publishes is accepted, and no job of it fails. */
import examples from '@octokit/webhooks-examples' with { type: 'json' }
import { beforeAll, describe, expect, test } from 'vitest'
import { useAppService } from '../support/app-service.ts'

type Payload = Record<string, unknown> & {
  installation?: { id: number }
  repository?: { id: number; full_name: string }
}

const EXAMPLES = examples as unknown as { name: string; examples: Payload[] }[]

const { github, service } = useAppService({}, async () => {})

/** The examples are unrelated to each other. The fake GitHub has the repositories and installations of all of them. */
beforeAll(() => {
  const repositories = new Map<number, string>()
  for (const { repository } of EXAMPLES.flatMap((each) => each.examples))
    if (repository?.full_name) repositories.set(repository.id, repository.full_name)
  for (const [id, full_name] of repositories) {
    github.repository({ id, full_name })
    // Examples of pull requests are about number 2.
    for (const head of ['one', 'two']) github.at(full_name).open({ head })
  }
  // Most examples about pull requests come from this installation.
  github.app.install({ account: 'Codertocat', id: 1 })
})

describe.each(EXAMPLES)('$name', ({ name, examples: payloads }) => {
  test.each(payloads.map((payload, at) => [at, payload] as const))(
    'example %i, as an installation of the App receives it',
    async (at, payload) => {
      const full_name = payload.repository?.full_name
      const installation = full_name
        ? (github.state.app.installations.find(({ account }) => account === full_name.split('/')[0]) ??
          github.app.install({ account: full_name.split('/')[0] as string }))
        : payload.installation
      const sent = {
        ...payload,
        ...(installation && { installation: { ...payload.installation, id: installation.id } }),
      }
      const { status, outcome } = await service.deliver({ event: name, payload: sent }, `${name}-${at}`)
      expect(status).toBe(202)
      expect(outcome).toBeOneOf(['accepted', 'ignored'])
      expect(await service.runDueJobs()).toEqual([])
    },
  )
})
