/** The licenses of the bundled packages, which require that they are distributed with the code. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** `modules`: the paths of the bundled modules. Throws if a package has no license file. */
export async function licensesOf(modules: string[]): Promise<string> {
  const packages = modules.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? [])
  const texts: string[] = []
  for (const directory of [...new Set(packages)].sort()) {
    const { name, version, license } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'))
    const file = (await readdir(directory)).find((each) => /^licen[cs]e/i.test(each))
    if (!file) throw new Error(`${name} has no license file`)
    const text = await readFile(join(directory, file), 'utf8')
    texts.push(`${name} ${version} (${license})\n\n${text.trim()}\n`)
  }
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}
