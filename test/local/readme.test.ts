/** What README.md shows of one clone is what the command prints. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hooksIn, useTree } from '../support/shop.ts'

const FILE = 'src/checkout/retry.ts'
const LINES = Array.from({ length: 12 }, (_, at) => `export const step${at + 1} = () => pay(${at + 1})\n`)
const withLine4 = (code: string) => LINES.with(3, `export const step4 = () => ${code}\n`).join('')
const withoutIds = (text: string) => text.replaceAll(/act_\w{26}/g, 'act_…').trim()

const tree = useTree()
const { heard } = hooksIn(tree)

test('the command prints what README.md shows', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const [warning, printed] = [...readme.matchAll(/^```(?:console)?\n((?:Deconflict:|\$ ).*?)^```$/gms)].map(
    ([, body = '']) => body,
  )
  await tree.commitUpstream('Steps', { [FILE]: LINES.join('') })
  for (const name of ['retries', 'tidy']) await tree.git('worktree', 'add', '-q', `../${name}`, '-b', name)
  const heardIn = (name: string, event: string, about: object = {}) =>
    heard(event, { session_id: name, cwd: join(tree.path, '..', name), ...about })
  await heardIn('retries', 'session-start')
  await tree.write({ [`../retries/${FILE}`]: withLine4('retry(() => pay(4))') })
  await heardIn('retries', 'prompt', { prompt: 'Retry twice' })
  await heardIn('tidy', 'session-start')
  expect(await heardIn('tidy', 'prompt', { prompt: `Tidy ${FILE}` })).toBe(warning?.trim())
  await tree.write({ [`../tidy/${FILE}`]: withLine4('attempt(4)') })
  const check = await tree.run(['check'], { cwd: join(tree.path, '../tidy') })
  expect(withoutIds(`$ deconflict check\n${check.stdout}`)).toBe(withoutIds(printed ?? ''))
})
