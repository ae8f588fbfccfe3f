/** The contents of a repository's files, at a branch or a commit. */
import { type Json, webUrl } from './github-bodies.ts'
import { contentsOf } from './github-pulls.ts'
import { blobSha, type GithubResponse, json, notFound } from './github-reply.ts'
import type { RepositoryRoute, RepositoryRouteContext } from './github-route.ts'
import { defaultBranch } from './github-state.ts'

/** GitHub omits the content of larger files. */
const CONTENT_BYTES_MAX = 1_048_576
const BASE64_LINE = 60

export const contentRoutes: RepositoryRoute[] = [
  { route: 'GET /contents/{path+}', needs: ['contents=read'], answer: getContents },
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
