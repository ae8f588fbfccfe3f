/** What tests of one repository share: the service with an own database, and a GitHub on which Ada may write to it. */
import { afterAll, beforeAll } from 'vitest'
import { type FakeGithub, fakeGithub } from './github.ts'
import { startTestService, type TestService } from './service.ts'

/** Starts the service for the tests of a file. `acme/shop` has the id 7. The hooks of the file fill `service`. */
export function useOneRepository(): { github: FakeGithub; service: TestService } {
  const github = fakeGithub()
  github.repository({ id: 7, full_name: 'acme/shop' })
  github.token('ada', { login: 'ada', id: 1, permissions: { 'acme/shop': 'write' } })
  const service = {} as TestService
  beforeAll(async () => {
    const config = { rate_limit_per_minute: 100_000 }
    Object.assign(service, await startTestService({ token: 'ada', config }))
  })
  afterAll(async () => {
    await service.close()
    github.close()
  })
  return { github, service }
}
