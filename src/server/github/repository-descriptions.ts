/** Describes repositories by GitHub's GraphQL API: one call for a hundred, where REST takes four for each. */
import { SETTINGS_PATHS } from '../../vocabulary/contract/settings.ts'
import type { Installation } from './github-app.ts'
import { classifyError } from './octokit.ts'
import { permissionsOf, type RepositoryName } from './repository-calls.ts'

/** How many repositories one call describes. */
export const DESCRIBED_AT_ONCE = 100

/** `readable`: the files that the App may read. GitHub answers with an error about any other. */
export function descriptionQuery(
  repositories: readonly RepositoryName[],
  readable: readonly string[],
): string {
  const files = readable.map(
    (path, at) => `file${at}: object(expression: "HEAD:${path}") { ... on Blob { text } }`,
  )
  const asked = repositories.map(
    ({ owner, name }, at) => `r${at}: repository(owner: "${owner}", name: "${name}") { ...described }`,
  )
  const fields = `databaseId pullRequests(states: OPEN) { totalCount } ${files.join(' ')}`
  return `query { ${asked.join(' ')} } fragment described on Repository { ${fields} }`
}

interface Described {
  databaseId: number
  pullRequests: { totalCount: number }
  /** Without a text: a directory, or a binary file. */
  [file: `file${number}`]: { text?: string | null } | null
}

export interface RepositoryDescription {
  /** How many pull requests are open. */
  open: number
  textOf: TextOf
}

/** The text of one of the files that configure a repository; null if there is none. */
export type TextOf = (path: string) => Promise<string | null>

/**
 * The repositories under these names, by their ids; none if GraphQL does not answer, or not about all of them. Throws when GitHub limits
 * the rate. One call, which counts towards a limit of its own.
 */
export async function describeRepositories(
  client: Installation,
  repositories: readonly RepositoryName[],
  now: Date,
): Promise<Map<number, RepositoryDescription>> {
  const described = new Map<number, RepositoryDescription>()
  try {
    const readable = (await permissionsOf(client)).contents ? SETTINGS_PATHS : []
    const answer = await client.graphql<Record<string, Described>>(descriptionQuery(repositories, readable))
    for (const { databaseId, pullRequests, ...given } of Object.values(answer)) {
      const files = new Map(readable.map((path, at) => [path, given[`file${at}`]]))
      const isReadable = [...files.values()].every((file) => file === null || typeof file?.text === 'string')
      const textOf: TextOf = async (path) => files.get(path)?.text ?? null
      if (isReadable) described.set(databaseId, { open: pullRequests.totalCount, textOf })
    }
    return described
  } catch (error) {
    if (classifyError(error, now).kind === 'rate_limited') throw error
    return new Map()
  }
}
