/** Parses the `pr_url` of an activity. */
import { Failure } from '../../vocabulary/failure.ts'

const NUMBER_MAX = 2_147_483_647

/**
 * The number in `url`, which must be `{GITHUB_WEB_URL}/{owner}/{repo}/pull/{number}` with the current or requested name of
 * the context's repository. Throws `validation_error`.
 */
export function pullRequestNumber(ctx: { repo: { web_urls: readonly string[] } }, url: string): number {
  const prefix = ctx.repo.web_urls
    .map((each) => `${each}/pull/`)
    .find((each) => url.toLowerCase().startsWith(each.toLowerCase()))
  const digits = prefix === undefined ? '' : url.slice(prefix.length)
  if (/^[1-9]\d{0,9}$/.test(digits) && Number(digits) <= NUMBER_MAX) return Number(digits)
  throw new Failure(
    'validation_error',
    `pr_url: must be ${ctx.repo.web_urls[0]}/pull/NUMBER, a pull request of this repository`,
    { param: 'pr_url' },
  )
}
