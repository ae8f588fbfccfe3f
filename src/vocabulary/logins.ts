/** Comparing GitHub logins. Case does not matter, and a bot has the suffix `[bot]` in some of GitHub's answers only. */

export const BOT_SUFFIX = '[bot]'

/** Whether the list has the login, with or without the suffix `[bot]`. */
export function isListed(login: string, list: readonly string[]): boolean {
  return list.some((each) => withoutSuffix(each) === withoutSuffix(login))
}

function withoutSuffix(login: string): string {
  const name = login.toLowerCase()
  return name.endsWith(BOT_SUFFIX) ? name.slice(0, -BOT_SUFFIX.length) : name
}
