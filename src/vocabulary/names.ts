/** Names of repositories, pull requests, records and accounts. Pure, and without imports, so that clients can use it. */

/** The characters that GitHub allows in both parts. `..` would change the route of a URL. */
const PART = /^(?!\.{1,2}$)[\w.-]{1,100}$/

export function isNamePart(text: string): boolean {
  return PART.test(text)
}

/** The parts of `acme/shop`; undefined for any other text. */
export function parseFullName(text: string): { owner: string; name: string } | undefined {
  const [owner = '', name = '', ...rest] = text.split('/')
  return rest.length === 0 && isNamePart(owner) && isNamePart(name) ? { owner, name } : undefined
}

/** GitHub numbers issues and pull requests together. They are stored as 32-bit integers. */
export const NUMBER_MAX = 2_147_483_647

/** The number that the digits are; null if they are none of an issue or pull request. */
export function readNumber(digits: string | undefined): number | null {
  return /^[1-9]\d{0,9}$/.test(digits ?? '') && Number(digits) <= NUMBER_MAX ? Number(digits) : null
}

/** `#12` for the URL of a pull request, `!12` for that of a merge request of GitLab; null without one. */
export function pullRequestName(pr_url: string | null | undefined): string | null {
  const [, kind, number] = /\/(pull|-\/merge_requests)\/(\d+)$/.exec(pr_url ?? '') ?? []
  return number === undefined ? null : `${kind === 'pull' ? '#' : '!'}${number}`
}

export function isNotableId(id: string): boolean {
  return id.startsWith('ntb_')
}

const BOT_SUFFIX = '[bot]'

/** Whether the list has the login, with or without the suffix `[bot]`. */
export function isListed(login: string, list: readonly string[]): boolean {
  return list.some((each) => withoutSuffix(each) === withoutSuffix(login))
}

function withoutSuffix(login: string): string {
  const name = login.toLowerCase()
  return name.endsWith(BOT_SUFFIX) ? name.slice(0, -BOT_SUFFIX.length) : name
}

/** Whether an account is a bot: GitHub's type `Bot`, a login that ends in `[bot]`, or one of `bots`, except coding agents. */
export function isBot(
  { login, is_of_type_bot }: { login: string; is_of_type_bot: boolean },
  { agents, bots }: { agents: readonly string[]; bots: readonly string[] },
): boolean {
  if (isListed(login, agents)) return false
  return is_of_type_bot || login.toLowerCase().endsWith(BOT_SUFFIX) || isListed(login, bots)
}
