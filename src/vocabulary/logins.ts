/** Comparing GitHub logins. Case does not matter, and a bot has the suffix `[bot]` in some of GitHub's answers only. */

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
