/** What a release ships: one version everywhere, pinned actions and images, and the files that name them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { notesOf } from '../../scripts/release-notes.ts'
import { readConfig } from '../../src/server/platform/config.ts'
import { VERSION } from '../../src/vocabulary/version.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const manifest = JSON.parse(read('package.json'))
const server = JSON.parse(read('server.json'))

describe('the version of package.json', () => {
  test('has notes in the changelog', () => {
    expect(manifest.version).toBe(VERSION)
    expect(notesOf(read('CHANGELOG.md'), VERSION)).toContain('### ')
  })

  test('is that of server.json and of its package', () => {
    const [command] = server.packages
    expect(server.version).toEqual(VERSION)
    expect(command.version).toEqual(VERSION)
    expect(command.identifier).toEqual(manifest.name)
    expect(server.name).toBe(manifest.mcpName)
  })

  test('is that of every image in the guide and in the base for Kubernetes', () => {
    const guide = [...read('docs/install.md').matchAll(/ghcr\.io\/deconflict\/deconflict:([\w.]+)/g)]
    const base = [...read('deploy/kustomize/base/kustomization.yaml').matchAll(/newTag: ([\w.]+)/g)]
    const versions = [...guide, ...base].map(([, version]) => version)
    expect(base.length).toBe(1)
    expect(versions.length).toBeGreaterThan(2)
    expect(new Set(versions)).toEqual(new Set([VERSION]))
  })
})

test.each([
  ['no section', '## [Unreleased]\n'],
  ['an empty section', '## [1.0.0] - 2026-01-01\n\n## [0.9.0] - 2025-12-01\n\n- Old\n'],
  ['a section without a date', '## [1.0.0]\n\n- New\n'],
])('a release with %s in the changelog is refused', (_, changelog) => {
  expect(() => notesOf(changelog, '1.0.0')).toThrow('## [1.0.0] - DATE')
})

test('every action is pinned to a commit', () => {
  const workflows = readdirSync(join(ROOT, '.github/workflows'))
  const used = workflows.flatMap((name) =>
    [...read(`.github/workflows/${name}`).matchAll(/uses: (.*)/g)].map(([, action]) => action as string),
  )
  expect(used.length).toBeGreaterThan(8)
  expect(used.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([])
})

test('every base image is pinned to a digest', () => {
  const compose = ['compose.yaml', 'compose.tls.yaml'].flatMap((file) =>
    Object.values(parse(read(file)).services as Record<string, { image?: string }>).flatMap(
      ({ image }) => image ?? [],
    ),
  )
  const images = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image as string)
  expect([...compose, ...images].filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image))).toEqual([])
  expect(compose.length + images.length).toBe(5)
})

test('the image contains what the Dockerfile copies', () => {
  const ignored = read('.dockerignore').split('\n')
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(
    ([, files]) => files?.split(' ') ?? [],
  )
  expect(copied).toEqual(expect.arrayContaining(['app.yml', 'app.readonly.yml']))
  expect(copied.filter((file) => !ignored.includes(`!${file}`))).toEqual([])
})

test('.env.example names variables that are read, and is valid when copied', () => {
  const lines = [...read('.env.example').matchAll(/^(?:# )?([A-Z][A-Z_]+)=(.*)$/gm)]
  const names = lines.map(([, name]) => name as string)
  const config = read('src/server/platform/config.ts')
  const compose = `${read('compose.yaml')}${read('compose.tls.yaml')}`
  const unknown = names.filter((name) => !config.includes(`  ${name}: `) && !compose.includes(`\${${name}`))
  expect(unknown).toEqual([])
  expect(names).toContain('SECRETS_KEY')
  expect(() =>
    readConfig(Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]))),
  ).not.toThrow()
})
