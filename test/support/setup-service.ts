/** The service without a GitHub App: opens `/setup` as a browser, and confirms its form on the fake GitHub. */

import { type CreatedApp, readCreatedApp } from '../../src/server/github/setup/created-app.ts'
import type { Config } from '../../src/server/platform/config.ts'
import type { FakeGithub } from './github.ts'
import { startTestService } from './service.ts'
import { useStarted } from './use-started.ts'

type Setup = Awaited<ReturnType<typeof startSetup>>
export interface SetupService extends Setup {
  /** Starts another instance on the same database; the embedded one first closes this instance. */
  restart(config: Partial<Config>): Promise<SetupService>
}

export async function startSetupService(github: FakeGithub, config: Partial<Config>): Promise<SetupService> {
  const service = await startSetup(github, config)
  return {
    ...service,
    async restart(changed) {
      const { database_url, data_dir } = service.app.config
      if (!database_url) await service.stop()
      return startSetupService(github, { ...config, database_url, data_dir, ...changed })
    },
  }
}

/** Starts it before the tests of a file, and closes it at the end. */
export const useSetupService = (github: FakeGithub, config: Partial<Config>) =>
  useStarted(
    () => startSetupService(github, config),
    (started) => started.close(),
  )

async function startSetup(github: FakeGithub, config: Partial<Config>) {
  const service = await startTestService({ token: 'ada', config, has_workers: true, job_poll_ms: 50 })
  /** The code in the address that is logged. */
  const code = new URL(service.setup_url ?? 'http://none').searchParams.get('code') ?? ''
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${service.url}${path}`, { headers, redirect: 'manual' })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return {
    ...service,
    code,
    get,
    /** The credentials that the service stored. */
    stored: async () => (await readCreatedApp(service.app)) as CreatedApp,
    /** The page, with its form that goes to GitHub. */
    async open({ code: given = code, organization = '', read_only = '', host = '' } = {}) {
      const query = new URLSearchParams({ code: given, organization, read_only })
      const { headers, text } = await get(`/setup?${query}`, host ? { host } : {})
      const [, action = '', manifest = ''] =
        /<form method="post" action="([^"]*)">\s*<input type="hidden" name="manifest" value="([^"]*)"/.exec(
          text,
        ) ?? []
      const cookie = headers.getSetCookie().map((each) => each.split(';')[0])
      const form = { action: unescaped(action), manifest: JSON.parse(unescaped(manifest)) }
      return { form, cookie: cookie.join('; '), headers, text }
    },
    /** Sends the form to GitHub, which redirects back; `cookie` is what the browser sends then. */
    async confirm({ action, manifest }: { action: string; manifest: object }, cookie: string) {
      const { pathname, search } = new URL(action)
      const body = new URLSearchParams({ manifest: JSON.stringify(manifest) }).toString()
      const answer = await github.answer({ method: 'POST', path: `${pathname}${search}`, headers: {}, body })
      if (typeof answer !== 'object') throw new Error(`GitHub answered ${answer}`)
      const back = new URL(answer.headers.location as string)
      const shown = await get(`${back.pathname}${back.search}`, { cookie })
      return { ...shown, location: shown.headers.get('location') ?? '' }
    },
  }
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
