/** How people name the pull request of an activity. */

/** `#12` for the URL of a pull request; null without one. */
export function pullRequestName(pr_url: string | null | undefined): string | null {
  const [, number] = /\/pull\/(\d+)$/.exec(pr_url ?? '') ?? []
  return number === undefined ? null : `#${number}`
}
