/** Checks that each threat of SECURITY.md is named by a test, and that the image is as it says. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

const threats = (read('SECURITY.md').split('\n## Assumptions')[0] ?? '')
  .split('\n')
  .filter((line) => /^\| (?!Threat |---)/.test(line))
  .map((line) => line.split('|')[1]?.trim())

const named = readdirSync(new URL('test', root), { recursive: true, encoding: 'utf8' })
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
