/** Forged webhooks, and an installation that names another one's repository (SECURITY.md). */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { beforeEach, describe, expect, test } from 'vitest'
import { findRepository } from '../../src/server/records/repositories/store.ts'
import { WEBHOOK_SECRET } from '../support/app-service.ts'
import { dumpDatabase } from '../support/database-dump.ts'
import { usePullRequests } from '../support/pull-request-service.ts'
import type { Webhook } from '../support/webhook-payload.ts'
import { installationEvent, installationRepositoriesEvent, signedDelivery } from '../support/webhooks.ts'

const { github, service, repository: repo } = usePullRequests()
github.repository({ id: 66, full_name: 'evil/own' })

// Threat: Timing attacks on the signature
test('the signature is compared in constant time', async () => {
  const compared: string[][] = []
  const { timingSafeEqual } = crypto
  crypto.timingSafeEqual = (one, other) => {
    compared.push([one, other].map((each) => Buffer.from(each as Uint8Array).toString()))
    return timingSafeEqual(one, other)
  }
  syncBuiltinESMExports()
  try {
    const { body, headers } = signedDelivery({
      secret: WEBHOOK_SECRET,
      event: 'ping',
      payload: { zen: '' },
    } as never)
    const right = new Headers(headers).get('X-Hub-Signature-256') as string
    const send = async (signature: string) =>
      (
        await fetch(`${service.url}/api/github/webhooks`, {
          method: 'POST',
          body,
          headers: { ...headers, 'X-Hub-Signature-256': signature },
        })
      ).status
    const wrong = [`sha256=${'0'.repeat(64)}`, `${right.slice(0, -1)}${right.endsWith('0') ? 1 : 0}`]
    const statuses: number[] = []
    for (const signature of [...wrong, right]) statuses.push(await send(signature))
    expect(statuses).toEqual([401, 401, 202])
    expect(compared).toEqual([...wrong, right].map((signature) => [signature, right]))
  } finally {
    crypto.timingSafeEqual = timingSafeEqual
    syncBuiltinESMExports()
  }
})

describe('an installation', () => {
  const stored = () => findRepository(service.db, repo.id)
  let evil: ReturnType<typeof github.app.install>

  beforeEach(() => {
    evil = github.app.install({ account: 'evil' })
  })

  /** The same event, but from another installation. */
  const as = (installation_id: number, webhook: Webhook): Webhook => ({
    ...webhook,
    payload: { ...(webhook.payload as object), installation: { id: installation_id } } as never,
  })

  // Threat: A repository changed by a webhook of another installation
  test.each([
    ['private', true],
    ['public', false],
  ])('does not take over a %s repository of another by naming it', async (_, isPrivate) => {
    repo.githubRepo.repository.private = isPrivate
    repo.githubRepo.open({ head: 'retries', files: ['src/a.ts'] })
    await service.deliverAndRun(repo.event(1, 'opened'))
    const own = (await stored())?.installation_id
    const before = github.requests().length
    repo.githubRepo.open({ head: 'tidy', files: ['src/b.ts'] })
    await service.deliverAndRun(as(evil.id, repo.event(2, 'opened')))
    expect((await stored())?.installation_id).toBe(own)
    const tokens = github.state.app.tokens.filter(({ installation_id }) => installation_id === evil.id)
    const used = github
      .requests()
      .slice(before)
      .filter(({ token }) => tokens.some((each) => each.token === token))
    expect(used).toEqual([])
  })

  // Threat: A repository changed by a webhook of another installation
  test('does not end tracking in repositories of another', async () => {
    repo.githubRepo.open({ head: 'retries', files: ['src/a.ts'] })
    await service.deliverAndRun(repo.event(1, 'opened'))
    const before = await stored()
    const event = installationRepositoriesEvent(github, evil, 'removed', ['evil/own'])
    const removed = [
      { id: repo.id, name: repo.full_name.split('/')[1], full_name: repo.full_name, private: true },
    ]
    await service.deliverAndRun(
      { ...event, payload: { ...(event.payload as object), repositories_removed: removed } as never },
      installationEvent(github, evil, 'deleted'),
    )
    expect(await stored()).toEqual(before)
    expect(before).toMatchObject({ uninstalled_at: null, installation_id: expect.any(Number) })
  })
})

// Threat: The App's secret, key or installation token in a log, an error, the metrics or the database
test('neither the secret, nor the key, nor an installation token is stored, logged or measured', async () => {
  repo.githubRepo.open({ head: 'retries', files: ['src/a.ts'] })
  repo.githubRepo.open({ head: 'tidy', files: ['src/a.ts'] })
  await service.deliverAndRun(repo.event(1, 'opened'), repo.event(2, 'opened'))
  github.fault('*', 'server_error', 3)
  await service.deliver(repo.event(1, 'synchronize'))
  await service.runDueJobs()
  github.clearFaults()
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  const secrets = github.state.app.tokens.map(({ token }) => token)
  expect(secrets.length).toBeGreaterThan(0)
  const stored = await dumpDatabase(service)
  expect(stored).toContain('retries')
  for (const text of [stored, service.log.join(''), metrics])
    for (const secret of [...secrets, 'PRIVATE KEY', `"${WEBHOOK_SECRET}"`])
      expect(text).not.toContain(secret)
})
