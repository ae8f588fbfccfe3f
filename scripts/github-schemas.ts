/**
 * Cuts the schemas of the routes and deliveries in use out of GitHub's published descriptions of its REST API and its
 * webhooks, and validates the queries in use against its GraphQL schema. These are too large for a dependency: downloads them
 * from npm into a temporary directory, and writes test/fixtures/github-schemas.json.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HANDLED } from '../src/server/doors/webhooks/github-events.ts'
import { calledQueries, calledRoutes } from '../test/support/called-routes.ts'
import { SERVED_ROUTES } from '../test/support/github-answers.ts'
import {
  describedRoute,
  type GithubSchemas,
  PLATFORMS,
  SCHEMAS_FILE,
  type Schema,
} from '../test/support/github-schemas.ts'
import { type Description, schemaReader } from './github-schemas/schema-reader.ts'

const sources = [
  '@octokit/openapi@23.0.2',
  '@octokit/openapi-webhooks@12.1.0',
  '@octokit/graphql-schema@15.26.1',
]
const FILES = {
  'github.com': 'generated/api.github.com.json',
  'Enterprise Server 3.19': 'generated/ghes-3.19.json',
}

/** Events that the service receives, and `create`, which it must ignore. */
const EVENTS: string[] = [...HANDLED, 'create']
const ROUTES = [...calledRoutes(), ...SERVED_ROUTES]
const $defs: GithubSchemas['$defs'] = {}

const directory = mkdtempSync(join(tmpdir(), 'github-schemas-'))
const packages = join(directory, 'node_modules/@octokit')
try {
  execFileSync('npm', ['install', '--silent', '--ignore-scripts', '--prefix', directory, ...sources])
  const read = (name: string, file: string) => JSON.parse(readFileSync(join(packages, name, file), 'utf8'))
  const platforms = Object.fromEntries(
    PLATFORMS.map((platform) => [
      platform,
      {
        responses: responsesOf(read('openapi', FILES[platform])),
        deliveries: deliveriesOf(read('openapi-webhooks', FILES[platform])),
      },
    ]),
  ) as GithubSchemas['platforms']
  const made_by = 'npm run github-schemas'
  const schemas: GithubSchemas = { made_by, sources, queries: await validQueries(), platforms, $defs }
  writeFileSync(SCHEMAS_FILE, `${lines(schemas, 4)}\n`)
} finally {
  rmSync(directory, { recursive: true })
}

async function validQueries(): Promise<string[]> {
  const { validate } = await import(join(packages, 'graphql-schema/index.js'))
  const queries = calledQueries()
  const problems = queries.flatMap((query) => validate(query))
  if (problems.length > 0) throw new Error(`GitHub does not allow a query: ${problems.join(' ')}`)
  return queries
}

function responsesOf(description: Description) {
  const { paths = {} } = description
  const schemaOf = schemaReader(description, $defs)
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const used = new Set(ROUTES.map((route) => describedRoute(all, route) ?? missing(route)))
  return Object.fromEntries(
    [...used].sort().map((route) => {
      const [method = '', path = ''] = route.split(' ')
      const responses = Object.entries(paths[path]?.[method.toLowerCase()]?.responses ?? {})
      return [route, Object.fromEntries(responses.map(([status, response]) => [status, schemaOf(response)]))]
    }),
  )
}

function deliveriesOf(description: Description) {
  const schemaOf = schemaReader(description, $defs)
  const used = Object.values(description.webhooks ?? {}).flatMap(({ post }) => {
    const event = post.externalDocs.url.split('#')[1] as string
    if (!EVENTS.includes(event)) return []
    const schema = schemaOf(post.requestBody)
    const action = (schema?.properties as Record<string, Schema> | undefined)?.action?.enum as [string]
    return [[action ? `${event}.${action[0]}` : event, schema]]
  })
  return Object.fromEntries(used.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)))
}

function missing(route: string): never {
  throw new Error(`GitHub does not describe ${route}`)
}

/** One line for each route, delivery and shared schema. */
function lines(node: unknown, levels: number, indent = ''): string {
  if (levels === 0 || typeof node !== 'object' || node === null || Array.isArray(node))
    return JSON.stringify(node)
  const entries = Object.entries(node).map(
    ([key, part]) =>
      `${indent} ${JSON.stringify(key)}: ${lines(part, key === '$defs' ? 1 : levels - 1, `${indent} `)}`,
  )
  return `{\n${entries.join(',\n')}\n${indent}}`
}
