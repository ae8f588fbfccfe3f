/** The contents of a repository's files at a branch or a commit, and its tree, within GitHub's limits. */
import { type Json, webUrl } from './github-bodies.ts'
import { contentsOf } from './github-pulls.ts'
import { blobSha, digest, type GithubResponse, json, notFound } from './github-reply.ts'
import type { RepositoryRoute, RepositoryRouteContext } from './github-route.ts'
import { defaultBranch, type Tree } from './github-state.ts'

/** GitHub omits the content of larger files. */
const CONTENT_BYTES_MAX = 1_048_576
const BASE64_LINE = 60
/** GitHub truncates a larger tree. */
const TREE_BYTES_MAX = 7 * 1024 * 1024

export const contentRoutes: RepositoryRoute[] = [
  { route: 'GET /contents/{path+}', needs: ['contents=read'], answer: getContents },
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

function getContents(context: RepositoryRouteContext): GithubResponse {
  const { state, repository, params, query } = context
  const contents = contentsOf(state, repository)
  const ref = query.get('ref') || defaultBranch(repository)
  const sha = contents.branches.get(ref.replace(/^refs\/heads\//, '')) ?? ref
  const tree = contents.commits.get(sha)
  if (!tree) return notFound(`No commit found for the ref ${ref}`)

  const path = (params.path as string).replace(/\/$/, '')
  const text = tree[path]
  if (text !== undefined) {
    const bytes = Buffer.from(text)
    const isLarge = bytes.length > CONTENT_BYTES_MAX
    const lines = bytes.toString('base64').replace(new RegExp(`.{1,${BASE64_LINE}}`, 'g'), '$&\n')
    const content = isLarge ? { content: '', encoding: 'none' } : { content: lines, encoding: 'base64' }
    return json(200, { ...entry(context, { path, text, ref }), ...content })
  }
  const beneath = Object.keys(tree).filter((known) => known.startsWith(`${path}/`))
  if (beneath.length === 0) return notFound()
  const children = new Set(beneath.map((known) => `${path}/${known.slice(path.length + 1).split('/')[0]}`))
  const entries = [...children].sort().map((child) => entry(context, { path: child, text: tree[child], ref }))
  return json(200, entries)
}

/** A file has a text, a directory has none. */
function entry(
  { state, repository }: RepositoryRouteContext,
  { path, text, ref }: { path: string; text: string | undefined; ref: string },
): Json {
  const self = `${state.api_url}/repos/${repository.full_name}`
  const web = `${webUrl(state)}/${repository.full_name}`
  const bytes = Buffer.from(text ?? path)
  const sha = blobSha(text ?? path)
  const kind = text === undefined ? 'tree' : 'blob'
  const urls = {
    url: `${self}/contents/${path}?ref=${ref}`,
    git_url: `${self}/git/${kind}s/${sha}`,
    html_url: `${web}/${kind}/${ref}/${path}`,
  }
  return {
    name: path.split('/').at(-1),
    path,
    sha,
    size: text === undefined ? 0 : bytes.length,
    ...urls,
    download_url: text === undefined ? null : `${web}/raw/${ref}/${path}`,
    type: text === undefined ? 'dir' : 'file',
    _links: { self: urls.url, git: urls.git_url, html: urls.html_url },
  }
}

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
    return index >= entries_max || bytes > TREE_BYTES_MAX
  })
  return end < 0 ? entries : entries.slice(0, end)
}
