/** A small bare mirror with `refs/pull/N/head`, written by one git fast-import. */
import { execFileSync } from 'node:child_process'
import { temporaryDirectory } from './temporary-directory.ts'

const DAY = 86_400
/** Day 0 of a mirror, in seconds. */
export const EPOCH = 1_700_000_000

export interface MirrorCommit {
  /** A name that later commits and refs use for this commit. */
  name: string
  parents: readonly string[]
  author: string
  /** Days after `EPOCH`. */
  day: number
  message?: string
  /** Contents by path; null removes a file. All other files are those of the first parent. */
  files?: Record<string, string | null>
}

/** HEAD is `refs/heads/main`. `refs`: names of commits, by ref. */
export async function mirrorOf(plan: { commits: readonly MirrorCommit[]; refs: Record<string, string> }) {
  const { commits, refs } = plan
  const directory = await temporaryDirectory('mirror')
  const git = (args: string[], input = '') =>
    execFileSync('git', [`--git-dir=${directory.path}`, ...args], { input, encoding: 'utf8' })
  const marks = new Map(commits.map(({ name }, index) => [name, `:${index + 1}`]))
  git(['init', '--quiet', '--bare', '--initial-branch=main'])
  const stream = [
    ...commits.map((commit) => commitText(commit, marks)),
    ...Object.entries(refs).map(([ref, name]) => `reset ${ref}\nfrom ${marks.get(name)}\n\n`),
    'reset refs/heads/building\nfrom 0000000000000000000000000000000000000000\n\n',
  ]
  git(['fast-import', '--quiet', '--force'], stream.join(''))
  return directory
}

function commitText(commit: MirrorCommit, marks: Map<string, string>): string {
  const { name, parents, author, day, message = name, files = {} } = commit
  const who = `${author} <${author.toLowerCase().replaceAll(' ', '.')}@example.com> ${EPOCH + day * DAY} +0000`
  const [first, ...others] = parents.map((parent) => marks.get(parent))
  return [
    'commit refs/heads/building',
    `mark ${marks.get(name)}`,
    `author ${who}`,
    `committer ${who}`,
    `data ${Buffer.byteLength(message)}`,
    message,
    ...(first === undefined ? ['deleteall'] : [`from ${first}`]),
    ...others.map((other) => `merge ${other}`),
    ...Object.entries(files).map(([path, text]) =>
      text === null ? `D ${path}` : `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}`,
    ),
    '\n',
  ].join('\n')
}
