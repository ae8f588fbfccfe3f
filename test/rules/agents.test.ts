/** An agent is described in one file: what runs, installs and checks hooks knows none by its name. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { AGENTS } from '../../src/cli/agents/agents.ts'

const CLI = new URL('../../src/cli/', import.meta.url)
const ENGINE = ['hook', 'init', 'doctor'].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, CLI)).map((file) => `${folder}/${file}`),
)
/** `claude`, `codex`, …; not the pattern of branches in the settings file. */
const NAMES = new RegExp(
  `\\b(?:${AGENTS.map(({ name }) => name.split('-')[0]).join('|')}|vs code)\\b(?!/\\*)`,
  'i',
)

test.each(ENGINE)('src/cli/%s names no agent', (file) => {
  expect(readFileSync(new URL(file, CLI), 'utf8')).not.toMatch(NAMES)
})

test('each agent has a file of its own, with its name', () => {
  const files = readdirSync(new URL('agents/', CLI))
  expect(files).toEqual(expect.arrayContaining(AGENTS.map(({ name }) => `${name}.ts`)))
})
