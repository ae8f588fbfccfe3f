/** The longest turn of the service's event loop, in processor time, while it handles pull requests of the maximum size. */
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { editOf } from '../../../test/support/lines.ts'
import { installationEvent, pullRequestEvent, signedDelivery } from '../../../test/support/webhooks.ts'
import { type Rig, TOKEN, WEBHOOK_SECRET } from '../rig.ts'

const REPOSITORY = { id: 910_001, full_name: 'large/monorepo' }
const TIMEOUT_MS = 300_000
const POLL_MS = 50
/** Longer than the interval in which the service measures its event loop. */
const SETTLE_MS = 100

export async function turnsPart(rig: Rig): Promise<void> {
  const { files, lines } = rig.options.sizes.turns
  const { github } = await rig.github()
  const { app } = github
  const probe = join(rig.scratch, 'turns.sock')
  const service = await rig.startService({
    DATABASE_URL: await rig.emptyDatabase(),
    APP_ID: String(app.id),
    PRIVATE_KEY: app.key().replaceAll('\n', '\\n'),
    WEBHOOK_SECRET,
    NODE_OPTIONS: `--import ${new URL('../turn-probe.mjs', import.meta.url).href}`,
    TURN_PROBE: probe,
  })
  const { full_name } = REPOSITORY
  github.repository(REPOSITORY)
  const at = github.at(full_name)
  github.token(TOKEN, { login: 'ada', id: 1, permissions: { [full_name]: 'write' } })
  const installation = app.install({ repositories: [full_name] })
  const deliver = async (webhook: ReturnType<typeof installationEvent>) => {
    const delivery = signedDelivery({ secret: WEBHOOK_SECRET, ...webhook })
    const response = await fetch(`${service.url}/api/github/webhooks`, { method: 'POST', ...delivery })
    await response.arrayBuffer()
    if (response.status !== 202) throw new Error(`a delivery got status ${response.status}`)
  }
  const request = async (path: string, body?: object, method = body ? 'POST' : 'GET') => {
    const response = await fetch(`${service.url}/api/v1/repos/${full_name}${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer as { activity: { id: string }; items: { updated_at: string }[] }
  }
  const changesOf = (patchOf: (file: number) => string) =>
    Array.from({ length: files }, (_, file) => ({
      path: `src/part-${file % 50}/file-${file}.ts`,
      patch: patchOf(file),
    }))
  const listed = (n: number, count = files) =>
    changesOf((file) => largePatchOf(file, { n, lines }))
      .slice(0, count)
      .map(({ path, patch }) => ({ filename: path, status: 'modified' as const, patch }))
  const open = (n: number) => {
    const pull = { title: `Change ${n}`, head: `change-${n}`, author: `person-${n}`, files: listed(n) }
    return deliver(pullRequestEvent(github, full_name, at.open(pull).number, 'opened'))
  }
  const measure = async (id: string, label: string, run: () => Promise<unknown>) => {
    await turnsSince(probe)
    const started = performance.now()
    await run()
    await wait(SETTLE_MS)
    const { max, p99, path } = await turnsSince(probe)
    rig.results.add(`turns.${id}.max`, `${label}, longest turn of the event loop`, 'ms', [max])
    rig.results.add(`turns.${id}.p99`, `${label}, 99th percentile of the turns`, 'ms', [p99])
    rig.say(`  ${label}: ${Math.round(performance.now() - started)} ms; longest turn: ${path}`)
  }
  try {
    await deliver(installationEvent(github, installation, 'created'))
    const size = `${files} files × ${lines} lines`
    await measure('import', `import of a pull request of ${size}`, async () => {
      await open(1)
      await until('the first import', async () => (await activityOf(1)) !== undefined)
    })
    await measure('compare', `import of a second one with the same files, and its comment`, async () => {
      await open(2)
      await until('the comment', async () => at.comments(2).length > 0)
    })
    // The patches of one request have a limit of bytes.
    const patched = Math.floor((files * 2) / 3)
    const changes = changesOf((file) => editOf(baseOf(file, lines), 5, 1, ['  checked()']))
    const body = {
      scope: { changes: changes.map(({ path, patch }, at) => (at < patched ? { path, patch } : { path })) },
    }
    await measure('check', `check of ${files} changed files against both`, () =>
      request('/activity/check', body),
    )
    await measure('overlaps', 'all collisions', () => request('/overlaps'))
    const words = { title: 'Check all results', summary: 'Calls checked() everywhere', actor: 'ada' }
    let declared = ''
    await measure('create', `declaration of ${files} changed files`, async () => {
      declared = (await request('/activity', { ...words, ...body })).activity.id
    })
    body.scope.changes.pop()
    await measure('update', 'declaration of all but one of them', () =>
      request(`/activity/${declared}`, body, 'PATCH'),
    )
    await measure('push', 'push to the second pull request', async () => {
      const before = await activityOf(2)
      at.update(2, { files: listed(2, files - 1) })
      await deliver(
        pullRequestEvent(github, full_name, 2, { action: 'synchronize', push: at.push('change-2') }),
      )
      await until('its files', async () => (await activityOf(2))?.updated_at !== before?.updated_at)
    })
    await measure('merge', 'merge of the first pull request', async () => {
      at.merge(1)
      await deliver(pullRequestEvent(github, full_name, 1, 'closed'))
      await until('the end of its activity', async () => (await activityOf(1)) === undefined)
    })
  } finally {
    await service.stop()
  }

  /** The live activity of the pull request, if it has one. */
  async function activityOf(n: number): Promise<{ updated_at: string } | undefined> {
    const { items } = await request(`/activity?limit=1&branch=change-${n}`)
    return items[0]
  }
}

function baseOf(file: number, lines: number): string[] {
  return Array.from({ length: 2 * lines + 20 }, (_, line) => `  const v${line} = compute(${file}, ${line})`)
}

/** At two places of a file, a quarter of `lines`, which depend on `n`, replaces as many. */
function largePatchOf(file: number, { n, lines }: { n: number; lines: number }): string {
  const base = baseOf(file, lines)
  const each = lines / 4
  const added = (place: number) =>
    Array.from({ length: each }, (_, line) => `  changed(${n}, ${file}, ${place}, ${line})`)
  return [editOf(base, 5, each, added(0)), editOf(base, 15 + lines, each, added(1))].join('\n')
}

/** The turns since the last call, in milliseconds, and what the longest one did. */
async function turnsSince(probe: string): Promise<{ max: number; p99: number; path: string }> {
  return JSON.parse(await text(connect(probe)))
}

async function until(what: string, isDone: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + TIMEOUT_MS
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`timed out waiting for ${what}`)
    await wait(POLL_MS)
  }
}
