/** `deconflict doctor` without a service: which mode is on, and what it sees. */
import { expect, onTestFinished, test } from 'vitest'
import { workingTree } from '../support/working-tree.ts'

test('doctor says that there is no service, and what it sees of the clone', async () => {
  const tree = await workingTree({})
  onTestFinished(() => tree.remove())
  await tree.git('remote', 'remove', 'origin')
  await tree.git('worktree', 'add', '-q', '../other', '-b', 'other')
  const { stdout } = await tree.run(['doctor'], { cwd: `${tree.path}/../other` })
  expect(stdout).toContain('repository  local/shop, from the name of its directory\n')
  expect(stdout).toMatch(/^ok {7}mode {8}without a service, in this clone$/m)
  expect(stdout).toMatch(
    /^ok {7}clone {7}2 working trees, 0 sessions, 0 branches, 0 pull requests\. Not looked at: pull requests \(there is no remote\)/m,
  )
  expect(stdout).not.toMatch(/server|token/)
})
