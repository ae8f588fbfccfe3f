/** `deconflict number`: reserves a number, and renames the new file to it. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { useShop } from '../support/shop.ts'

const { tree, startAsBen } = useShop()
const DIRECTORY = 'db/migrations'
const inDirectory = { cwd: '' }

beforeEach(async () => {
  await startAsBen({ scope: { changes: [{ path: `${DIRECTORY}/0042_carts.sql`, status: 'added' }] } })
  inDirectory.cwd = join(tree.path, DIRECTORY)
  await mkdir(inDirectory.cwd, { recursive: true })
  await tree.run(['start', 'Orders', '--paths', 'src/orders.ts'])
})

test('prints the number and who holds the others, the same again, with the directory as typed', async () => {
  const { code, stdout } = await tree.run(['number', DIRECTORY])
  expect(stdout).toContain('Reserved 0043 in db/migrations (act_')
  expect(stdout).toMatch(/Taken: 0042 \(act_/)
  expect(code).toBe(0)
  for (const typed of ['.', join(tree.path, DIRECTORY)]) {
    const again = await tree.run(['number', typed, '--json'], inDirectory)
    expect(JSON.parse(again.stdout)).toMatchObject({ number: '0043', directory: DIRECTORY })
  }
})

describe('--rename', () => {
  test('renames a committed file', async () => {
    await tree.commit('Add orders', { [`${DIRECTORY}/0042_orders.sql`]: 'select 1;\n' })
    const { stdout, stderr } = await tree.run(['number', DIRECTORY, '--rename'])
    expect(stderr).toBe('')
    expect(stdout).toContain(`renamed ${DIRECTORY}/0042_orders.sql to ${DIRECTORY}/0043_orders.sql`)
    expect(await readdir(inDirectory.cwd)).toEqual(['0043_orders.sql'])
  })

  test('renames the two untracked files of one migration together', async () => {
    for (const name of ['0042_orders.up.sql', '0042_orders.down.sql'])
      await writeFile(join(inDirectory.cwd, name), 'select 1;\n')
    await tree.run(['number', DIRECTORY, '--rename'])
    expect(await readdir(inDirectory.cwd)).toEqual(['0043_orders.down.sql', '0043_orders.up.sql'])
  })

  test('reserves nothing where there is no new file', async () => {
    const { code, stderr } = await tree.run(['number', DIRECTORY, '--rename'])
    expect(stderr).toContain('git lists no new file with a number in db/migrations')
    expect(code).toBe(1)
    const first = await tree.run(['number', DIRECTORY, '--json'])
    expect(JSON.parse(first.stdout).number).toBe('0043')
  })

  test('never replaces a file', async () => {
    await tree.commit('Add orders', { [`${DIRECTORY}/0042_orders.sql`]: 'select 1;\n' })
    await writeFile(join(inDirectory.cwd, '.gitignore'), '0043*\n')
    await writeFile(join(inDirectory.cwd, '0043_orders.sql'), 'mine\n')
    const { code, stderr } = await tree.run(['number', DIRECTORY, '--rename'])
    expect(stderr).toContain('0043_orders.sql exists already')
    expect(code).toBe(1)
  })
})
