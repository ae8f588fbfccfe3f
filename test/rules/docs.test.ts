/** Compares the documentation with the code, and the threats of SECURITY.md with the tests that name them. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { posix, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { OPERATIONS } from '../../src/vocabulary/contract/contract.ts'
import { routeOf } from '../../src/vocabulary/contract/route.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('docs/api.md lists the operations of the contract', () => {
  const rows = [...read('docs/api.md').matchAll(/^\| ([^|]+) \| `([A-Z]+) ([^`]+)` \|/gm)]
  expect(rows.map(([, summary, method, path]) => ({ summary, method, path }))).toEqual(
    Object.values(OPERATIONS).map((operation) => ({
      summary: operation.summary,
      method: operation.method,
      path: routeOf(operation),
    })),
  )
})

test('docs/configuration.md names every configuration variable', () => {
  const names = [...read('src/server/platform/config.ts').matchAll(/^ {2}([A-Z][A-Z_]+): /gm)].map(
    ([, name]) => name as string,
  )
  expect(names.length).toBeGreaterThan(10)
  const page = read('docs/configuration.md')
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('docs/data.md names every table, and no other', () => {
  const names = [...read('drizzle/0000_initial.sql').matchAll(/^CREATE TABLE "(\w+)"/gm)].map(
    ([, name]) => name as string,
  )
  expect(names.length).toBeGreaterThan(10)
  const rows = [...read('docs/data.md').matchAll(/^\| (`[^|]+`) \|/gm)]
  const named = rows.flatMap(([, cell]) => [...(cell as string).matchAll(/`(\w+)`/g)].map(([, name]) => name))
  expect(named.sort()).toEqual(names.sort())
})

test('the pictures of the README, docs/install.md and docs/tour.md exist and are small (npm run picture creates them)', () => {
  const names = new Set([
    ...(read('README.md').match(/docs\/[\w-]+\.png/g) ?? []),
    ...['docs/install.md', 'docs/tour.md'].flatMap((page) =>
      [...read(page).matchAll(/[("]([\w-]+\.png)[)"]/g)].map(([, name]) => `docs/${name}`),
    ),
  ])
  expect(names.size).toBeGreaterThan(5)
  for (const name of names)
    expect(statSync(new URL(`../../${name}`, import.meta.url)).size).toBeLessThan(150_000)
})

const ROOT = new URL('../../', import.meta.url)
const FOLDERS = ['docs', 'scripts', 'src', 'test']

/** The text files of the repository that may link to documentation. */
const texts = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md') || name.endsWith('.ts')),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(new URL(folder, ROOT), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:md|m?tsx?|ya?ml|css|html|sql)$/.test(entry.name))
      .map(({ parentPath, name }) =>
        relative(fileURLToPath(ROOT), `${parentPath}/${name}`).replaceAll(sep, '/'),
      ),
  ),
]

test('docs/architecture.md names only files that exist', () => {
  const named = read('docs/architecture.md').match(/(?<=`)[\w-]+(\/[\w-]+)*\/[\w-]+\.ts(?=`)/g) ?? []
  expect(named.filter((name) => !texts.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([])
})

/** The anchors that GitHub gives to the headings of a page. Undefined if there is no such page. */
function anchorsOf(path: string): string[] | undefined {
  if (!existsSync(new URL(path, ROOT))) return undefined
  return [...read(path).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Whether a link such as `docs/contract/lines.md#verdicts` has a target. */
function hasTarget(link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const anchors = anchorsOf(path)
  return anchors !== undefined && (anchor === undefined || anchors.includes(anchor))
}

test('every link from code to a page of the contract has a target', () => {
  const links = texts.flatMap((file) =>
    [...read(file).matchAll(/docs\/contract\/[\w-]+\.md(?:#[\w-]+)?/g)].map(([link]) => ({ file, link })),
  )
  expect(links.length).toBeGreaterThan(50)
  expect(links.filter(({ link }) => !hasTarget(link))).toEqual([])
})

test('every link between pages of the documentation has a target', () => {
  const links = texts
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...read(file).matchAll(/\]\(([\w./-]*\.md)?(#[\w-]+)?\)/g)]
        .filter(([, path, anchor]) => path ?? anchor)
        .map(([, path, anchor = '']) => ({
          file,
          link: `${path ? posix.join(posix.dirname(file), path) : file}${anchor}`,
        })),
    )
  expect(links.length).toBeGreaterThan(100)
  expect(links.filter(({ link }) => !hasTarget(link))).toEqual([])
})

test('every source file that the documentation names exists', () => {
  const named = texts
    .filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md')
    .flatMap((file) =>
      [...read(file).matchAll(/`((?:src|scripts|test|server|cli|vocabulary|page)\/[\w/.-]+\.tsx?)`/g)].map(
        ([, path = '']) => ({ file, path }),
      ),
    )
    // The source of repositories in examples.
    .filter(({ path }) => !/^src\/(api|checkout|pay|retry|a|b)\b/.test(path))
  expect(named.length).toBeGreaterThan(30)
  const exists = (path: string) => existsSync(new URL(path, ROOT)) || existsSync(new URL(`src/${path}`, ROOT))
  expect(named.filter(({ path }) => !exists(path))).toEqual([])
})

const threats = (read('SECURITY.md').split('\n## Assumptions')[0] ?? '')
  .split('\n')
  .filter((line) => /^\| (?!Threat |---)/.test(line))
  .map((line) => line.split('|')[1]?.trim())

const named = readdirSync(new URL('test', ROOT), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .flatMap((file) =>
    [...read(`test/${file}`).matchAll(/^ *\/\/ Threat: (.*)$/gm)].map(([, threat]) => threat),
  )

test('every threat is named by a test', () => {
  expect(threats.length).toBeGreaterThan(25)
  expect(threats.filter((threat) => !named.includes(threat))).toEqual([])
})

test('every threat that a test names is in SECURITY.md', () => {
  expect(named.filter((threat) => !threats.includes(threat))).toEqual([])
})

// Threat: Root in the container
test('the image runs as an unprivileged user', () => {
  const lines = read('Dockerfile').split('\n')
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')))
  expect(last.filter((line) => line.startsWith('USER '))).toEqual(['USER node'])
})
