/** The first part of the demo: two agents in one clone with five working trees, without any service. */
import { join } from 'node:path'
import { workingTree } from '../../test/support/working-tree.ts'
import { frame, tell, warn } from './screen.ts'

const FILE = 'src/checkout/retry.ts'

export async function demoClone(): Promise<void> {
  const tree = await workingTree({})
  try {
    await tree.git('remote', 'remove', 'origin')
    for (const name of ['retries', 'tidy', 'search', 'docs'])
      await tree.git('worktree', 'add', '-q', `../${name}`, '-b', name)
    await tree.write({ '../.claude/settings.json': '{}' })
    await tree.run(['init', '--yes'])
    tell('A clone with five working trees, no remote and no server. `deconflict init` serves all of them.')
    const hook = async (event: string, name: string, about: object = {}) => {
      const cwd = join(tree.path, '..', name)
      const input = JSON.stringify({ session_id: name, transcript_path: '/t', cwd, ...about })
      const { stdout } = await tree.run(['hook', event, '--agent', 'claude-code'], { cwd, input })
      return stdout && JSON.parse(stdout).hookSpecificOutput.additionalContext
    }
    await hook('session-start', 'retries')
    await tree.write({ [`../retries/${FILE}`]: 'export const retries = 2\n' })
    await hook('prompt', 'retries', { prompt: 'Retry twice' })
    tell(`An agent in ../retries edits ${FILE}. It commits nothing.`)
    await hook('session-start', 'tidy')
    const heard: string = await hook('prompt', 'tidy', { prompt: `Tidy ${FILE}` })
    if (!heard.includes('../retries')) throw new Error(`the other agent heard nothing: ${heard}`)
    warn(`An agent in ../tidy is asked to tidy ${FILE}. Before it reads the file, it hears:`)
    frame(heard.split('\n'))
  } finally {
    await tree.remove()
  }
}
