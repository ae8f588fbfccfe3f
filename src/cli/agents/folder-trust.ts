/** Which folders a person trusts, by the file `trustedFolders.json` of Gemini CLI and of those that share its code. Pure. */
import { dirname, relative, sep } from 'node:path'
import { parsedJson } from '../../vocabulary/text.ts'
import type { TrustFinding } from './agent.ts'

/** `text`: the content of the file. Of the rules that apply to `folder`, the one with the longest path decides. If the text is not JSON, no folder is trusted. */
export function isTrustedFolder(text: string, folder: string): boolean {
  const rules = Object.entries(Object(parsedJson(text))).filter(([path, level]) =>
    contains(level === 'TRUST_PARENT' ? dirname(path) : path, folder),
  )
  const [rule] = rules.toSorted(([one], [other]) => other.length - one.length)
  return rule !== undefined && ['TRUST_FOLDER', 'TRUST_PARENT'].includes(String(rule[1]))
}

/** `agent`: the name that people know. */
export function trustFinding(agent: string, is_ok: boolean): TrustFinding {
  const problem = `does not trust this folder and runs no hook in it; run /permissions in ${agent}`
  return { is_ok, message: `${agent} ${is_ok ? 'trusts this folder' : problem}` }
}

function contains(directory: string, folder: string): boolean {
  const path = relative(directory, folder)
  return path !== '..' && !path.startsWith(`..${sep}`)
}
