/** Runs the tests that concern what changed since `main`: `npm run check:change`. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename } from 'node:path'

const lines = (...args: string[]) =>
  execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)

const base = lines('merge-base', 'HEAD', 'main')[0] as string
const changed = [
  ...lines('diff', '--name-only', '--diff-filter=d', base),
  ...lines('ls-files', '--others', '--exclude-standard'),
]
/** A test concerns a file of the source whose name it begins with: `pairs-merged.test.ts` concerns `pairs.ts`. */
const names = changed
  .filter((path) => path.startsWith('src/'))
  .map((path) => basename(path).replace(/\.tsx?$/, ''))
const concerns = (path: string) =>
  changed.includes(path) || names.some((name) => new RegExp(`^${name}[.-]`).test(basename(path)))
const tests = ['api', 'surfaces', 'databases', 'support']
  .flatMap((folder) => readdirSync(`test/${folder}`).map((file) => `test/${folder}/${file}`))
  .filter((path) => path.endsWith('.test.ts') && concerns(path))
if (tests.length > 0) {
  const projects = ['rules', 'api-*'].flatMap((project) => ['--project', project])
  process.exitCode =
    spawnSync('npx', ['vitest', 'run', ...projects, ...tests], { stdio: 'inherit' }).status ?? 1
} else process.stderr.write('No test of the API concerns what changed.\n')
