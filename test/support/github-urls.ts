/** The addresses that GitHub gives with every account and every repository. */
import type { Json } from './github-bodies.ts'

/** Below the account's own URL. */
const ACCOUNT_PATHS = {
  followers_url: '/followers',
  following_url: '/following{/other_user}',
  gists_url: '/gists{/gist_id}',
  starred_url: '/starred{/owner}{/repo}',
  subscriptions_url: '/subscriptions',
  organizations_url: '/orgs',
  repos_url: '/repos',
  events_url: '/events{/privacy}',
  received_events_url: '/received_events',
}

/** Below the repository's own URL. */
const REPOSITORY_PATHS = {
  forks_url: '/forks',
  keys_url: '/keys{/key_id}',
  collaborators_url: '/collaborators{/collaborator}',
  teams_url: '/teams',
  hooks_url: '/hooks',
  issue_events_url: '/issues/events{/number}',
  events_url: '/events',
  assignees_url: '/assignees{/user}',
  branches_url: '/branches{/branch}',
  tags_url: '/tags',
  blobs_url: '/git/blobs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  git_refs_url: '/git/refs{/sha}',
  trees_url: '/git/trees{/sha}',
  statuses_url: '/statuses/{sha}',
  languages_url: '/languages',
  stargazers_url: '/stargazers',
  contributors_url: '/contributors',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  commits_url: '/commits{/sha}',
  git_commits_url: '/git/commits{/sha}',
  comments_url: '/comments{/number}',
  issue_comment_url: '/issues/comments{/number}',
  contents_url: '/contents/{+path}',
  compare_url: '/compare/{base}...{head}',
  merges_url: '/merges',
  archive_url: '/{archive_format}{/ref}',
  downloads_url: '/downloads',
  issues_url: '/issues{/number}',
  pulls_url: '/pulls{/number}',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  labels_url: '/labels{/name}',
  releases_url: '/releases{/id}',
  deployments_url: '/deployments',
}

export const accountUrls = (url: string): Json => under(url, ACCOUNT_PATHS)

/** `web` is its page. */
export function repositoryUrls(url: string, web: string): Json {
  const { host, pathname } = new URL(web)
  return {
    ...under(url, REPOSITORY_PATHS),
    git_url: `git://${host}${pathname}.git`,
    ssh_url: `git@${host}:${pathname.slice(1)}.git`,
    clone_url: `${web}.git`,
    svn_url: web,
  }
}

function under(url: string, paths: Record<string, string>): Json {
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, url + path]))
}
