/** `npm run replay -- --live --git DIR` on a day of a small mirror, in which two people and an agent change the same line. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type MirrorCommit, mirrorOf } from '../../../test/support/mirror.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** A file of 60 lines, one of them replaced. */
const text = (line: number, by: string) =>
  Array.from({ length: 60 }, (_, at) => `${at + 1 === line ? by : `read(${at + 1})`}\n`).join('')

const work = (n: number, day: number, line: number): MirrorCommit => ({
  name: `pull${n}`,
  parents: ['start'],
  author: `Author ${n}`,
  day,
  files: { 'a.ts': text(line, `by_${n}()`) },
})
const COMMITS: MirrorCommit[] = [
  { name: 'start', parents: [], author: 'Ada', day: 0, files: { 'a.ts': text(0, '') } },
  // Open when the App is installed; the first two conflict.
  work(7, 9.2, 10),
  work(8, 9.3, 10),
  // Opened after it; the tenth one, which is declared before, conflicts with the ninth.
  work(9, 10.2, 30),
  work(10, 10.4, 30),
  work(11, 10.5, 50),
  {
    name: 'merged9',
    parents: ['start', 'pull9'],
    author: 'Ada',
    day: 11,
    message: 'Merge pull request #9 from someone/branch',
    files: { 'a.ts': text(30, 'by_9()') },
  },
]

test('a day is played as webhooks into the service, from the installation on', async () => {
  const numbers = [7, 8, 9, 10, 11]
  const refs = Object.fromEntries(
    numbers.flatMap((n) => [
      [`refs/pull/${n}/head`, `pull${n}`],
      [`refs/pull/${n}/merge`, 'merged9'],
    ]),
  )
  const mirror = await mirrorOf({ commits: COMMITS, refs: { ...refs, 'refs/heads/main': 'merged9' } })
  try {
    const args = ['--import', 'tsx', 'scripts/replay.ts', '--live', '--git', mirror.path, '--days', '1']
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT })
    expect(stdout).toContain('| open pull requests when the App was installed | 2 |')
    expect(stdout).toContain('| comments posted on the first day | 1 |')
    expect(stdout).toContain('| pull requests by people commented | 1 of 3 (33.3 %) |')
    expect(stdout).toContain('| comments for each of them: mean, most | 0.33, 1 |')
    expect(stdout).toContain('| pairs told: conflict, same work, same number, other | 1, 0, 0, 0 |')
    expect(stdout).toContain('| … of the conflicts, in git | 1 of 1 (100.0 %) |')
    expect(stdout).toContain('| … told within an hour of the opening of the second | 1 of 1 (100.0 %) |')
    expect(stdout).toContain('| conflicts between live work that nobody was told of | 0 of 1 (0.0 %) |')
  } finally {
    await mirror.remove()
  }
})
