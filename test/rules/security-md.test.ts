/** Checks that the tests named in SECURITY.md exist, and that the image is as it says. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** Each row of the tables of threats, with the tests that it names. */
const rows = read('SECURITY.md')
  .split('\n')
  .filter((line) => /^\| (?!Threat |---)/.test(line))
  .map((line) => ({
    threat: line.split('|')[1]?.trim() as string,
    tests: [...line.matchAll(/`(test\/[\w/.-]+\.test\.ts)` "([^"]+)"/g)].map(([, file, name]) => ({
      file: file as string,
      name: name as string,
    })),
  }))

test('every threat has a test', () => {
  expect(rows.length).toBeGreaterThan(25)
  expect(rows.filter(({ tests }) => tests.length === 0).map(({ threat }) => threat)).toEqual([])
})

test('every named test exists', () => {
  const missing = rows
    .flatMap(({ tests }) => tests)
    .filter(({ file, name }) => !isTestOf(read(file), name))
    .map(({ file, name }) => `${file} "${name}"`)
  expect(missing).toEqual([])
})

/** Whether the source has a test, or a group of tests, of exactly this name. */
function isTestOf(source: string, name: string): boolean {
  const literal = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`\\(\\s*(['"\`])${literal}\\1,`).test(source)
}

test('the image runs as an unprivileged user', () => {
  const lines = read('Dockerfile').split('\n')
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')))
  const user = last.indexOf('USER node')
  const start = last.findIndex((line) => line.startsWith('CMD ['))
  expect(user).toBeGreaterThan(-1)
  expect(start).toBeGreaterThan(user)
  expect(last.filter((line) => line.startsWith('USER '))).toEqual(['USER node'])
})
