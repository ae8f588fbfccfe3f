/** The routes of GitHub that the service calls, read from its source, and its queries: with files, and without the permission to read them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Octokit } from '@octokit/rest'
import { descriptionQuery } from '../../src/server/github/repository-descriptions.ts'
import { SETTINGS_PATHS } from '../../src/vocabulary/contract/settings.ts'

const SERVER = fileURLToPath(new URL('../../src/server', import.meta.url))

/** Called by Probot: the token of an installation. */
const CALLED_BY_LIBRARIES = ['POST /app/installations/{installation_id}/access_tokens']

/** With the parameters as OpenAPI has them: `GET /repos/{owner}/{repo}/pulls/{pull_number}`, sorted. */
export function calledRoutes(): string[] {
  const octokit = new Octokit()
  const endpoints = octokit.rest as unknown as Record<string, Record<string, typeof octokit.request>>
  const found = sources().flatMap((source) => [
    ...[...source.matchAll(/\.rest\.(\w+)\.(\w+)\b/g)].map(([, scope = '', name = '']) => {
      const { method, url } = endpoints[scope]?.[name]?.endpoint.DEFAULTS ?? {}
      if (!method || !url) throw new Error(`Octokit has no rest.${scope}.${name}`)
      return `${method} ${url}`
    }),
    ...[...source.matchAll(/\.request\(\s*'([A-Z]+ \/[^']+)'/g)].map(([, route = '']) => route),
  ])
  return [...new Set([...found, ...CALLED_BY_LIBRARIES])].sort()
}

export const calledQueries = () =>
  [SETTINGS_PATHS, []].map((readable) => descriptionQuery([{ owner: 'acme', name: 'shop' }], readable))

function sources(): string[] {
  return readdirSync(SERVER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
}
