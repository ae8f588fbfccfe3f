/** A check in one clone with 20 working trees of 200 changed files, next to `git merge-tree` over all pairs and `node -e 0`. */
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { interleaved } from '../measure.ts'
import { type Rig, ROOT } from '../rig.ts'
import { processTime, workingTree } from './hooks.ts'

const LABELS = {
  bare: 'node -e 0',
  quiet: 'hook with nothing to ask: a file read again',
  file: 'hook that asks: another file read',
  warm: 'check of 200 files, a second time',
  cold: 'check of 200 files, with nothing kept',
  merge: 'git merge-tree over all pairs of the working trees, committed',
}

export async function localPart({ sizes, results }: Rig): Promise<void> {
  const main = await workingTree()
  const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim()
  const heads: string[] = []
  const trees = Array.from({ length: sizes.local }, (_, at) =>
    join(main.path, '..', `local-${process.pid}-${at}`),
  )
  for (const [at, tree] of trees.entries()) {
    git(main.path, 'worktree', 'add', '-q', tree, '-b', `local-${at}`)
    for (let file = 0; file < 200; file += 1) appendFileSync(join(tree, `${file}.ts`), `// ${at}\n`)
    const index = { ...process.env, GIT_INDEX_FILE: join(main.path, '.git/bench-index') }
    execFileSync('git', ['add', '-A'], { cwd: tree, env: index })
    const written = execFileSync('git', ['write-tree'], { cwd: tree, env: index, encoding: 'utf8' }).trim()
    heads.push(git(tree, 'commit-tree', '-p', 'HEAD', '-m', 'Work', written))
  }
  const cwd = trees[0] as string
  const command = join(ROOT, 'dist/cli.cjs')
  const check = () => processTime([command, 'check', '--local'], {}, {}, cwd)
  const read = (file: string) =>
    processTime(
      [command, 'hook', 'after-read', '--agent', 'claude-code'],
      { DECONFLICT_HOOK_TIMEOUT_MS: '30000' },
      {
        session_id: 's',
        transcript_path: '/t',
        cwd,
        hook_event_name: 'PostToolUse',
        tool_name: 'Read',
        tool_input: { file_path: file },
      },
    )
  await read('0.ts')
  const all = await interleaved(sizes.rounds, {
    bare: () => processTime(['-e', '0'], {}, {}),
    quiet: () => read('0.ts'),
    file: (round) => read(`${1 + round}.ts`),
    cold: () => {
      rmSync(join(main.path, '.git/deconflict/cache'), { recursive: true, force: true })
      return check()
    },
    warm: async () => {
      await check()
      return check()
    },
    merge: async () => {
      const started = performance.now()
      // It exits with 1 if there is a conflict.
      for (const [at, one] of heads.entries())
        for (const other of heads.slice(0, at))
          spawnSync('git', ['merge-tree', '--write-tree', one, other], { cwd: main.path })
      return performance.now() - started
    },
  })
  for (const name of Object.keys(LABELS) as (keyof typeof LABELS)[])
    results.add(`local.${name}`, LABELS[name], 'ms', all[name])
  for (const tree of trees) rmSync(tree, { recursive: true, force: true })
  await main.remove()
}
