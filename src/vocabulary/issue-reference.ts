/** Finds the issue that a branch or a prompt names. Loads no schema. Pure. */

const NUMBER_MAX = 2_147_483_647
/** In the last part of a branch name: `7-retry`, `issue-7`, `issue-7-retry`, `gh-7`. A date, such as `2026-01-02-notes`, is none. */
const IN_BRANCH = /^(?:(?:issue|gh)-([1-9]\d{0,9})(?!\d)|(?!\d{4}-\d\d-\d\d)([1-9]\d{0,9})-.)/i

/** The issue that the name of a branch begins with, after its last slash; null if there is none. */
export function issueOfBranch(branch: string | null): number | null {
  const [, named, leading] = IN_BRANCH.exec(branch?.split('/').at(-1) ?? '') ?? []
  return inRange(named ?? leading)
}

const URL_OR_NAME = String.raw`(?:https?:\/\/([^\s\/]{1,200})\/)?(?<![\w.-])([\w-]{1,100}\/[\w.-]{1,100}?)(?:\/issues\/|#)`
/** `#7`, `acme/shop#7`, or the URL of an issue. `PR #7` and `pull request #7` name no issue. */
const IN_TEXT = new RegExp(
  String.raw`(?<!\b(?:PR|pull request|pull) )(?:${URL_OR_NAME}|(?<![\w&#\/.-])#)([1-9]\d{0,9})\b`,
  'gi',
)
const TEXT_MAX = 20_000

/** The only issue of the repository that the text names; null if it names none, or several. */
export function issueOfText(
  text: string,
  { owner, repo, host }: { owner: string; repo: string; host: string },
): number | null {
  const own = `${owner}/${repo}`.toLowerCase()
  const found = new Set<number>()
  for (const [, at, name, digits] of text.slice(0, TEXT_MAX).matchAll(IN_TEXT)) {
    const isOther = (name !== undefined && name.toLowerCase() !== own) || (at !== undefined && at !== host)
    const number = inRange(digits)
    if (!isOther && number !== null) found.add(number)
  }
  const [only = null] = found
  return found.size === 1 ? only : null
}

function inRange(digits: string | undefined): number | null {
  return digits !== undefined && Number(digits) <= NUMBER_MAX ? Number(digits) : null
}
