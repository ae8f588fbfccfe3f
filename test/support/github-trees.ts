/** The trees of commits, within GitHub's limits. */
import type { Json } from './github-bodies.ts'
import { contentsOf } from './github-pulls.ts'
import { blobSha, digest, json, notFound } from './github-reply.ts'
import type { RepositoryRoute } from './github-route.ts'
import { defaultBranch, type Tree } from './github-state.ts'

/** GitHub truncates a larger tree. */
const BYTES_MAX = 7 * 1024 * 1024

export const treeRoutes: RepositoryRoute[] = [
  {
    route: 'GET /git/trees/{sha}',
    needs: ['contents=read'],
    answer: ({ state, repository, params, query }) => {
      const contents = contentsOf(state, repository)
      const sha = params.sha as string
      const branch = sha === 'HEAD' ? defaultBranch(repository) : sha
      const files = contents.commits.get(contents.branches.get(branch) ?? sha)
      if (!files) return notFound()
      const self = `${state.api_url}/repos/${repository.full_name}/git`
      // As on GitHub, any value of `recursive` turns it on.
      const all = entriesOf(files, self).filter(({ path }) => query.has('recursive') || !path.includes('/'))
      const tree = withinLimits(all, state.tree_entries_max)
      const named = { sha: digest(`tree of ${sha}`).slice(0, 40), url: `${self}/trees/${sha}` }
      return json(200, { ...named, tree, truncated: tree.length < all.length })
    },
  },
]

/** The files and the directories, by path. */
function entriesOf(files: Tree, self: string): (Json & { path: string })[] {
  const directories = new Set<string>()
  for (const path of Object.keys(files))
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
      directories.add(path.slice(0, end))
  const blobs = Object.entries(files).map(([path, text]) => {
    const sha = blobSha(text)
    return {
      path,
      mode: '100644',
      type: 'blob',
      sha,
      size: Buffer.byteLength(text),
      url: `${self}/blobs/${sha}`,
    }
  })
  const trees = [...directories].map((path) => {
    const within = Object.entries(files).filter(([name]) => name.startsWith(`${path}/`))
    const sha = digest(`tree ${JSON.stringify(within)}`).slice(0, 40)
    return { path, mode: '040000', type: 'tree', sha, url: `${self}/trees/${sha}` }
  })
  return [...blobs, ...trees].sort((one, other) => (one.path < other.path ? -1 : 1))
}

function withinLimits(entries: Json[], entries_max: number): Json[] {
  let bytes = 0
  const end = entries.findIndex((entry, index) => {
    bytes += JSON.stringify(entry).length
    return index >= entries_max || bytes > BYTES_MAX
  })
  return end < 0 ? entries : entries.slice(0, end)
}
