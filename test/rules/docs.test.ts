/** Compares the documentation with the code. */
import { readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { apiPage } from '../../scripts/api-docs.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('docs/api.md matches the contract (npm run docs writes it)', () => {
  expect(read('docs/api.md')).toBe(apiPage())
})

test('docs/configuration.md names every configuration variable', () => {
  const names = [...read('src/server/base/config.ts').matchAll(/^ {2}([A-Z][A-Z_]+): /gm)].map(
    ([, name]) => name as string,
  )
  expect(names.length).toBeGreaterThan(10)
  const page = read('docs/configuration.md')
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('the pictures of the README, docs/install.md and docs/tour.md exist and are small (npm run picture creates them)', () => {
  const names = new Set([
    ...(read('README.md').match(/docs\/[\w-]+\.png/g) ?? []),
    ...['docs/install.md', 'docs/tour.md'].flatMap((page) =>
      [...read(page).matchAll(/[("]([\w-]+\.png)[)"]/g)].map(([, name]) => `docs/${name}`),
    ),
  ])
  expect([...names].sort()).toEqual([
    'docs/comment-dark.png',
    'docs/comment-light.png',
    'docs/page-dark.png',
    'docs/page-light.png',
    'docs/setup-owner.png',
    'docs/setup-refused.png',
    'docs/setup-signed-out.png',
    'docs/tour-hot-spots.png',
    'docs/tour-overview.png',
    'docs/tour-phone.png',
    'docs/tour-timeline.png',
    'docs/tour-you.png',
  ])
  for (const name of names)
    expect(statSync(new URL(`../../${name}`, import.meta.url)).size).toBeLessThan(150_000)
})
