/** How people name the pull request of an activity. */

/** `#12` for the URL of a pull request, `!12` for that of a merge request of GitLab; null without one. */
export function pullRequestName(pr_url: string | null | undefined): string | null {
  const [, kind, number] = /\/(pull|-\/merge_requests)\/(\d+)$/.exec(pr_url ?? '') ?? []
  return number === undefined ? null : `${kind === 'pull' ? '#' : '!'}${number}`
}
