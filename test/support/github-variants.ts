/** Both variants of the fake GitHub, in process and as a server, for tests that apply to both. */
import { Octokit } from '@octokit/rest'
import { pino } from 'pino'
import { Probot } from 'probot'
import { startFakeGithubServer } from '../../scripts/fake-github-server.ts'
import { fakeGithub } from './github.ts'
import type { GithubWorld } from './github-world.ts'

export interface FakeGithubVariant {
  url: string
  github: GithubWorld
  close(): void | Promise<void>
}

export const variants: [string, () => Promise<FakeGithubVariant>][] = [
  [
    'in process',
    async () => {
      const github = fakeGithub('https://ghe.example/api/v3')
      return { url: 'https://ghe.example/api/v3', github, close: github.close }
    },
  ],
  ['as a server', () => startFakeGithubServer()],
]

const nothing = () => {}

/** A client of a new installation on a repository. Probot authenticates it but does not throttle its writes. */
export async function installationClient(
  { github, url }: FakeGithubVariant,
  full_name: string,
): Promise<Octokit> {
  const { id } = github.app.install({ repositories: [full_name] })
  const log = pino({ level: 'silent' })
  const probot = new Probot({ appId: github.app.id, privateKey: github.app.key(), baseUrl: url, log })
  await (await probot.auth(id)).request('GET /installation/repositories')
  const auth = github.requests('GET /installation/repositories').at(-1)?.token
  return new Octokit({
    auth,
    baseUrl: url,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  })
}
