/** The changed files of pull requests and of comparisons, with the patches that GitHub includes. */
import { type Json, webUrl } from './github-bodies.ts'
import { ancestorsOf, commitBody } from './github-commits.ts'
import { contentsOf, pullNumbered } from './github-pulls.ts'
import { blobSha, digest, json, notFound, paged } from './github-reply.ts'
import type { RepositoryRoute, RepositoryRouteContext } from './github-route.ts'
import type { GithubRepository, GithubState, PullFile, Tree } from './github-state.ts'

/** A comparison lists at most this many commits, the newest. */
const COMPARED_COMMITS_MAX = 250

export const fileRoutes: RepositoryRoute[] = [
  {
    route: 'GET /pulls/{number}/files',
    needs: ['pull_requests=read'],
    answer: (context) => {
      const pull = pullNumbered(context)
      if (!pull) return notFound()
      const files = pull.files.slice(0, context.state.list_limits.files)
      return paged(context, files, (page) => fileBodies(context, pull.head.sha, page))
    },
  },
  {
    route: 'GET /compare/{basehead+}',
    needs: ['contents=read'],
    answer: (context) => {
      const { state, repository, params, self } = context
      const contents = contentsOf(state, repository)
      const [base, head] = (params.basehead as string)
        .split('...')
        .map((ref) => contents.branches.get(ref) ?? ref)
      const after = contents.commits.get(head ?? '')
      if (!base || !head || !contents.commits.has(base) || !after) return notFound()
      const [inBase, inHead] = [ancestorsOf(contents, base), ancestorsOf(contents, head)]
      const merge_base = inHead.find((sha) => inBase.includes(sha))
      if (merge_base === undefined) return notFound()
      const ahead = inHead.filter((sha) => !inBase.includes(sha)).reverse()
      const behind_by = inBase.filter((sha) => !inHead.includes(sha)).length
      const counts = { ahead_by: ahead.length, behind_by, total_commits: ahead.length }
      const body = {
        // Nobody reads these addresses.
        ...{ url: self, html_url: self, permalink_url: self, diff_url: self, patch_url: self },
        base_commit: commitBody(state, repository, base),
        merge_base_commit: commitBody(state, repository, merge_base),
        status: comparisonStatus(counts),
        ...counts,
        commits: ahead.slice(-COMPARED_COMMITS_MAX).map((sha) => commitBody(state, repository, sha)),
      }
      const changed = changedFiles(contents.commits.get(merge_base) ?? {}, after)
      const files = changed.slice(0, state.list_limits.compared_files)
      return json(200, { ...body, files: fileBodies(context, head, files) })
    },
  },
]

function comparisonStatus({ ahead_by, behind_by }: { ahead_by: number; behind_by: number }): string {
  if (behind_by > 0) return ahead_by > 0 ? 'diverged' : 'behind'
  return ahead_by > 0 ? 'ahead' : 'identical'
}

function changedFiles(before: Tree, after: Tree): PullFile[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return names.flatMap((filename) => {
    const [old, text] = [before[filename], after[filename]]
    if (old === text) return []
    const status = old === undefined ? 'added' : text === undefined ? 'removed' : 'modified'
    return [{ filename, status, patch: wholeFilePatch(old, text), sha: blobSha(text ?? old ?? '') } as const]
  })
}

/** One hunk that replaces the whole file. */
function wholeFilePatch(old = '', text = ''): string {
  const [removed, added] = [old, text].map((each) => each.replace(/\n$/, '').split('\n').filter(Boolean))
  const range = (lines: string[] = []) => (lines.length === 0 ? '0,0' : `1,${lines.length}`)
  const lines = [...(removed ?? []).map((line) => `-${line}`), ...(added ?? []).map((line) => `+${line}`)]
  return [`@@ -${range(removed)} +${range(added)} @@`, ...lines].join('\n')
}

/** GitHub leaves out the patch of a file with more lines. */
const FILE_LINES_MAX = 3_000
/** With more lines in one response, GitHub leaves out the patches of all its files. */
const RESPONSE_LINES_MAX = 20_000

/** The files of one response, with the patches that GitHub includes. */
function fileBodies({ state, repository }: RepositoryRouteContext, sha: string, files: PullFile[]): Json[] {
  const patches = files.map((file) => patchOf(file, sha))
  const lines = patches.map((patch) => patch?.split('\n').length ?? 0)
  const isOver = lines.reduce((sum, each) => sum + each, 0) > RESPONSE_LINES_MAX
  return files.map((file, index) => {
    const patch = patches[index]
    const hasPatch = patch != null && !isOver && (lines[index] as number) <= FILE_LINES_MAX
    return { ...fileBody(state, repository, sha, file), ...(hasPatch && { patch }) }
  })
}

function patchOf({ status, patch }: PullFile, sha: string): string | null {
  if (patch !== undefined) return patch
  const [before, after] = ['const version = 1', `const version = '${sha.slice(0, 12)}'`]
  if (status === 'added') return `@@ -0,0 +1 @@\n+${after}`
  if (status === 'removed') return `@@ -1 +0,0 @@\n-${before}`
  return status === 'modified' ? `@@ -1 +1 @@\n-${before}\n+${after}` : null
}

/** Lines added and removed. */
function countLines(file: PullFile, sha: string): { additions: number; deletions: number } {
  const patch = patchOf(file, sha) ?? patchOf({ filename: file.filename, status: file.status }, sha) ?? ''
  const count = (mark: string) => patch.split('\n').filter((line) => line.startsWith(mark)).length
  return { additions: count('+'), deletions: count('-') }
}

function fileBody(state: GithubState, repository: GithubRepository, sha: string, file: PullFile): Json {
  const path = encodeURIComponent(file.filename)
  const web = `${webUrl(state)}/${repository.full_name}`
  const { additions, deletions } = countLines(file, sha)
  return {
    sha: file.sha ?? digest(`${sha}:${file.filename}`).slice(0, 40),
    filename: file.filename,
    status: file.status,
    additions,
    deletions,
    changes: additions + deletions,
    blob_url: `${web}/blob/${sha}/${path}`,
    raw_url: `${web}/raw/${sha}/${path}`,
    contents_url: `${state.api_url}/repos/${repository.full_name}/contents/${path}?ref=${sha}`,
    ...(file.previous_filename && { previous_filename: file.previous_filename }),
  }
}
