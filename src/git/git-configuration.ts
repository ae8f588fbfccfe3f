/** What commands need of the configuration of git, which they read with one call. Pure. */

/** `-z`: each entry is `KEY\nVALUE\0`. Git writes sections and variables in lower case, and subsections as they are. */
export const CONFIGURATION_ARGS = [
  'config',
  '-z',
  '--get-regexp',
  String.raw`^(user\.name|remote\..*\.url|branch\..*\.remote|url\..*\.insteadof)$`,
]

export interface GitConfiguration {
  /** `user.name`. */
  person: string | undefined
  /** The remote of the branch, else `origin`, else the only one. `url` is that of a fetch. */
  remote: { name: string; url: string } | undefined
}

/** `output`: undefined if git failed, as it does if no key matches. */
export function readConfiguration(output: string | undefined, branch: string | undefined): GitConfiguration {
  const entries = (output ?? '').split('\0').flatMap((entry) => {
    const [key = '', value] = entry.split(/\n(.*)/s)
    return value === undefined ? [] : [{ key, value }]
  })
  const last = (wanted: string) => entries.findLast(({ key }) => key === wanted)?.value
  const urls = new Map<string, string>()
  for (const { key, value } of entries) {
    const [, name] = /^remote\.(.*)\.url$/s.exec(key) ?? []
    // A fetch uses the first of several URLs.
    if (name !== undefined && !urls.has(name)) urls.set(name, value)
  }
  const own = branch === undefined ? undefined : last(`branch.${branch}.remote`)
  const name = [own, 'origin', ...(urls.size === 1 ? urls.keys() : [])].find(
    (each) => each !== undefined && urls.has(each),
  )
  return {
    person: last('user.name'),
    remote: name === undefined ? undefined : { name, url: rewritten(urls.get(name) as string, entries) },
  }
}

/** Applies `url.BASE.insteadOf`: the longest prefix wins. */
function rewritten(url: string, entries: { key: string; value: string }[]): string {
  const rules = entries.flatMap(({ key, value: prefix }) => {
    const [, base] = /^url\.(.*)\.insteadof$/s.exec(key) ?? []
    return base !== undefined && url.startsWith(prefix) ? [{ base, prefix }] : []
  })
  const [rule] = rules.sort((a, b) => b.prefix.length - a.prefix.length)
  return rule === undefined ? url : `${rule.base}${url.slice(rule.prefix.length)}`
}
