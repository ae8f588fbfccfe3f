/**
 * `tsx scripts/release-notes.ts v1.2.3`: checks that a tag names the version of the package, and prints the section of the
 * changelog, for the release on GitHub.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { VERSION } from '../src/vocabulary/version.ts'

/** The section of a version. Throws if there is none, or if it is empty. */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m)
  const section = sections.find((each) => each.startsWith(`[${version}] - `))
  const notes = section?.slice(section.indexOf('\n')).trim()
  if (!notes) throw new Error(`CHANGELOG.md has no section "## [${version}] - DATE" with changes`)
  return notes
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const tag = process.argv[2] ?? ''
  if (tag !== `v${VERSION}`) throw new Error(`the tag is ${tag}, but package.json has version ${VERSION}`)
  const changelog = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8')
  process.stdout.write(`${notesOf(changelog, VERSION)}\n`)
}
