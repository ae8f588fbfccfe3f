/** Compares app.yml with the code: the handled events, and the permissions that the calls need. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { manifestOf, readAppFile } from '../../src/server/doors/page/setup.ts'
import { HANDLED } from '../../src/server/doors/webhooks/github-events.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const manifest = parse(readFileSync(join(root, 'app.yml'), 'utf8'))

/** Sent to every App, so a manifest must not contain them. */
const UNASKED = ['installation', 'installation_repositories']

/** The permissions that each event, and each call as an installation, needs according to GitHub's documentation. Calls as the App itself need none. */
const EVENT_NEEDS: Record<string, string> = {
  pull_request: 'pull_requests: read',
  issue_comment: 'issues: read',
  push: 'contents: read',
  delete: 'contents: read',
  repository: 'metadata: read',
  member: 'members: read',
  membership: 'members: read',
  team: 'members: read',
  organization: 'members: read',
}
const CALL_NEEDS: Record<string, string> = {
  'pulls.listFiles': 'pull_requests: read',
  'pulls.list': 'pull_requests: read',
  'pulls.get': 'pull_requests: read',
  'issues.listComments': 'pull_requests: read',
  'issues.createComment': 'pull_requests: write',
  'issues.updateComment': 'pull_requests: write',
  'checks.create': 'checks: write',
  'repos.getContent': 'contents: read',
  'repos.compareCommitsWithBasehead': 'contents: read',
  'repos.getBranch': 'contents: read',
  'repos.getCollaboratorPermissionLevel': 'metadata: read',
  'git.getTree': 'contents: read',
  'apps.listReposAccessibleToInstallation': 'metadata: read',
  // Without a token.
  'apps.createFromManifest': 'metadata: read',
  'apps.getInstallation': 'metadata: read',
  'apps.getRepoInstallation': 'metadata: read',
  'apps.listWebhookDeliveries': 'metadata: read',
  'apps.redeliverWebhookDelivery': 'metadata: read',
  // With the caller's own token, not as the App.
  'repos.get': 'metadata: read',
  'repos.listForAuthenticatedUser': 'metadata: read',
  'users.getAuthenticated': 'metadata: read',
}

test('the manifest requests exactly the events that have a handler', () => {
  expect([...manifest.default_events, ...UNASKED].sort()).toEqual([...HANDLED].sort())
})

test('the manifest requests exactly the permissions that events and calls need', () => {
  const calls = new Set(
    sources().flatMap((source) =>
      [...source.matchAll(/\.rest\.(\w+\.\w+)[(,]/g)].map(([, name]) => name as string),
    ),
  )
  expect([...calls].sort()).toEqual(Object.keys(CALL_NEEDS).sort())
  expect(Object.keys(EVENT_NEEDS).sort()).toEqual([...manifest.default_events].sort())
  const needed: Record<string, string> = {}
  for (const need of [...Object.values(EVENT_NEEDS), ...Object.values(CALL_NEEDS)]) {
    const [name = '', level = ''] = need.split(': ')
    if (needed[name] !== 'write') needed[name] = level
  }
  expect(manifest.default_permissions).toEqual(needed)
})

test('the manifest that /setup sends requests the same', () => {
  const addresses = { public_url: 'https://deconflict.example', webhook_proxy_url: null }
  expect(manifestOf(readAppFile(), addresses, 'acme')).toMatchObject({
    default_permissions: manifest.default_permissions,
    default_events: manifest.default_events,
    public: manifest.public,
    description: manifest.description,
  })
})

test('the manifest that /setup sends lets GitHub return to the page and to MCP clients on the same machine', () => {
  const addresses = { public_url: 'https://deconflict.example/team', webhook_proxy_url: null }
  expect(manifestOf(readAppFile(), addresses, null)).toMatchObject({
    callback_urls: [
      'https://deconflict.example/team/session/callback',
      'http://localhost/callback',
      'http://127.0.0.1/callback',
      'http://127.0.0.1/',
      'http://localhost/oauth/callback',
      'http://127.0.0.1/mcp/oauth/callback',
    ],
  })
})

test('the App that may only read is the same, with fewer permissions and the events that these allow', () => {
  const { default_permissions, default_events, ...rest } = readAppFile(true)
  const { default_permissions: _, default_events: events, ...all } = readAppFile()
  expect(rest).toEqual(all)
  expect(default_permissions).toEqual({ metadata: 'read', pull_requests: 'read' })
  const granted = Object.entries(default_permissions).map(([name, level]) => `${name}: ${level}`)
  expect(default_events).toEqual(events.filter((event) => granted.includes(EVENT_NEEDS[event] ?? '')))
})

test('the link in docs/install.md fills in the form of a new App with the values of the manifest', () => {
  const guide = readFileSync(join(root, 'docs/install.md'), 'utf8')
  const address = /https:\/\/github\.com\/organizations\/ORG\/settings\/apps\/new\?\S+/.exec(guide)?.[0]
  const filled = new URL(address as string).searchParams
  expect(filled.getAll('events[]')).toEqual(manifest.default_events)
  const here = (address: string) => address.replace('deconflict.example.com', 'YOUR-HOST')
  expect(filled.getAll('callback_urls[]')).toEqual(manifest.callback_urls.map(here))
  const {
    name: _,
    url,
    public: isPublic,
    webhook_active,
    webhook_url,
    ...permissions
  } = Object.fromEntries([...filled].filter(([name]) => !name.endsWith('[]')))
  expect(permissions).toEqual(manifest.default_permissions)
  expect(isPublic).toBe(String(manifest.public))
  expect(webhook_active).toBe(String(manifest.hook_attributes.active))
  expect(webhook_url).toBe(here(manifest.hook_attributes.url))
  expect(url).toBe(here(manifest.url))
})

function sources(): string[] {
  return readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
}
