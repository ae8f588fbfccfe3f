/** What README.md shows of one clone is what the command prints. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { workingTree } from '../support/working-tree.ts'

const FILE = 'src/checkout/retry.ts'
const LINES = Array.from({ length: 12 }, (_, at) => `export const step${at + 1} = () => pay(${at + 1})\n`)
const withLine4 = (code: string) => LINES.with(3, `export const step4 = () => ${code}\n`).join('')
const withoutIds = (text: string) => text.replaceAll(/act_\w{26}/g, 'act_…').trim()

test('the command prints what README.md shows', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const [heard, printed] = [...readme.matchAll(/^```(?:console)?\n((?:Deconflict:|\$ ).*?)^```$/gms)].map(
    ([, body = '']) => body,
  )
  const tree = await workingTree({})
  try {
    await tree.write({ [FILE]: LINES.join('') })
    await tree.git('commit', '-qam', 'Steps')
    await tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    for (const name of ['retries', 'tidy']) await tree.git('worktree', 'add', '-q', `../${name}`, '-b', name)
    const hook = (event: string, name: string, about: object = {}) => {
      const cwd = join(tree.path, '..', name)
      const input = JSON.stringify({ session_id: name, transcript_path: '/t', cwd, ...about })
      return tree.run(['hook', event, '--agent', 'claude-code'], { cwd, input })
    }
    await hook('session-start', 'retries')
    await tree.write({ [`../retries/${FILE}`]: withLine4('retry(() => pay(4))') })
    await hook('prompt', 'retries', { prompt: 'Retry twice' })
    await hook('session-start', 'tidy')
    const { stdout } = await hook('prompt', 'tidy', { prompt: `Tidy ${FILE}` })
    expect(JSON.parse(stdout).hookSpecificOutput.additionalContext).toBe(heard?.trim())
    await tree.write({ [`../tidy/${FILE}`]: withLine4('attempt(4)') })
    const check = await tree.run(['check'], { cwd: join(tree.path, '../tidy') })
    expect(withoutIds(`$ deconflict check\n${check.stdout}`)).toBe(withoutIds(printed ?? ''))
  } finally {
    await tree.remove()
  }
})
