/** `npm run replay -- --pairs FILE`, run as a user runs it. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { editOf } from '../../test/support/lines.ts'
import { temporaryDirectory } from '../../test/support/temporary-directory.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FILE = Array.from({ length: 60 }, (_, at) => `const value${at + 1} = read(${at + 1})`)
const entry = (filename: string, at: number, added: string[]) => ({
  filename,
  patch: editOf(FILE, at, 1, added),
})
const ADDED = Array.from({ length: 6 }, (_, at) => `call function number ${at}`)

const RECORDING = {
  prs: {
    1: {
      n: 1,
      base: 'b1',
      files: [entry('src/a.ts', 20, ['mine']), entry('src/b.ts', 5, ['x']), entry('go.sum', 5, ['h'])],
    },
    2: {
      n: 2,
      base: 'b2',
      files: [entry('src/a.ts', 20, ['theirs']), entry('src/b.ts', 50, ['y']), entry('go.sum', 5, ['i'])],
    },
    3: { n: 3, base: 'b1', files: [entry('src/b.ts', 9, ADDED)], title: 'Retry', body: 'Fixes #7' },
    4: {
      n: 4,
      base: 'b1',
      files: [{ filename: 'src/c.ts', previous_filename: 'src/b.ts', status: 'renamed', additions: 9 }],
      commits: ['Closes #7'],
    },
  },
  pairs: [
    { a: 1, b: 2, files: ['src/a.ts', 'src/b.ts', 'go.sum'].map((name) => ({ a: name, b: name })) },
    { a: 1, b: 2, files: [{ a: 'go.sum', b: 'go.sum' }] },
    { a: 3, b: 4, files: [{ a: 'src/b.ts', b: 'src/c.ts', pair: 'conflict' }] },
  ],
}

async function replay(recording: object) {
  const directory = await temporaryDirectory('replay')
  try {
    const file = join(directory.path, 'pairs.json')
    await writeFile(file, JSON.stringify(recording))
    const args = ['run', '--silent', 'replay', '--', '--pairs', file]
    return await promisify(execFile)('npm', args, { cwd: ROOT }).catch(
      (error) => error as { stdout: string; stderr: string; code: number },
    )
  } finally {
    await directory.remove()
  }
}

test('the replay writes a line for each pair to stdout, and a summary to stderr', async () => {
  const { stdout, stderr } = await replay(RECORDING)
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const noise = { path: 'go.sum', verdict: 'noise', confidence: null }
  expect(lines).toEqual([
    {
      ...{ a: 1, b: 2, verdict: 'conflict', confidence: 'proved', duplicates: [] },
      files: [
        { path: 'src/a.ts', verdict: 'conflict', confidence: 'proved' },
        { path: 'src/b.ts', verdict: 'far', confidence: null },
        noise,
      ],
    },
    { a: 1, b: 2, verdict: 'noise', confidence: null, duplicates: [], files: [noise] },
    {
      ...{ a: 3, b: 4, verdict: 'unknown', confidence: null },
      duplicates: [{ kind: 'issue', issue: 7 }],
      files: [{ path: 'src/b.ts', verdict: 'unknown', confidence: null }],
    },
  ])
  expect(stderr).toContain('conflict 1 (1 proved), unknown 1, noise 1; duplicates 1')
  expect(stderr).toContain('1 files, proved and likely: precision / recall – / 0.0 %')
})

test('an error names the field of a recording that is wrong', async () => {
  const { stderr, code } = (await replay({ prs: [{ n: 1, files: [] }], pairs: [] })) as {
    stderr: string
    code: number
  }
  expect(stderr).toContain('prs')
  expect(stderr).toContain('base')
  expect(code).toBe(1)
})
