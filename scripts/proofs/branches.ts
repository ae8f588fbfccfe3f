/** The pull requests of a measurement, as branches of a clone: both sides of each seed, and reverts of the last commits. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apply, git, type Seed } from './edits.ts'

export interface Branch {
  number: number
  head: string
  title: string
}

export interface SeededClone {
  /** The bare repository whose `refs/pull` the pull requests are. */
  remote: string
  /** A clone of it. */
  clone: string
  base: string
  seeds: { seed: Seed; one: Branch; other: Branch }[]
  /** Pull requests of others: changes that the project really had, backwards. */
  reverts: Branch[]
  remove(): Promise<void>
}

/** Does not modify the repository at `source`. `reverts`: how many of the last commits are reverted at most. */
export async function seedClone(
  source: string,
  seeds: readonly Seed[],
  reverts: number,
): Promise<SeededClone> {
  const directory = await mkdtemp(join(tmpdir(), 'deconflict-proofs-'))
  const [remote, clone] = [join(directory, 'remote.git'), join(directory, 'clone')]
  await git(directory, 'clone', '--quiet', '--bare', '--no-hardlinks', source, remote)
  await git(remote, 'branch', '--force', 'main', 'HEAD')
  await git(directory, 'clone', '--quiet', '--branch', 'main', remote, clone)
  for (const [name, value] of [
    ['user.name', 'Seed'],
    ['user.email', 'seed@localhost'],
  ] as const)
    await git(clone, 'config', name, value)
  const base = await git(clone, 'rev-parse', 'HEAD')
  let number = 0
  const push = async (title: string): Promise<Branch> => {
    number += 1
    const head = await git(clone, 'rev-parse', 'HEAD')
    await git(clone, 'push', '--quiet', 'origin', `${head}:refs/pull/${number}/head`)
    return { number, head, title }
  }
  const background: Branch[] = []
  const commits = await git(clone, 'rev-list', '--no-merges', '--max-count', `${reverts * 3}`, base)
  for (const commit of commits.split('\n')) {
    if (background.length === reverts) break
    await git(clone, 'checkout', '--quiet', '--force', '--detach', base)
    try {
      await git(clone, 'revert', '--no-edit', commit)
      background.push(await push(`Revert ${commit.slice(0, 10)}`))
    } catch {
      await git(clone, 'revert', '--abort').catch(() => {})
    }
  }
  const side = async (seed: Seed, edits: Seed['one']) => {
    await git(clone, 'checkout', '--quiet', '--force', '--detach', base)
    await git(clone, 'clean', '--quiet', '--force', '-d')
    await apply(clone, edits)
    await git(clone, 'add', '--all')
    await git(clone, 'commit', '--quiet', '--message', seed.kind)
    return push(seed.kind)
  }
  const sides: SeededClone['seeds'] = []
  for (const seed of seeds)
    sides.push({ seed, one: await side(seed, seed.one), other: await side(seed, seed.other) })
  await git(clone, 'checkout', '--quiet', '--force', 'main')
  return {
    remote,
    clone,
    base,
    seeds: sides,
    reverts: background,
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}
