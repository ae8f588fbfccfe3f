/** `npm run proofs`: measures which seeded conflicts of a real project are chosen and proved (docs/prove.md#measured). */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { seedClone } from './branches.ts'
import { measure } from './measure.ts'
import { SEEDS } from './seeds/seeds.ts'
import { tableOf } from './table.ts'

const USAGE = `npm run --silent proofs -- --git DIR --project NAME [--reverts 30] -- COMMAND…
  a table on stdout, progress on stderr; DIR is a clone of the project, which is not modified, COMMAND runs its tests;
  NAME is one of ${Object.keys(SEEDS).join(', ')}; --reverts: how many of its last commits are reverted by other pull requests`

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      git: { type: 'string' },
      project: { type: 'string' },
      reverts: { type: 'string', default: '30' },
    },
  })
  const seeds = SEEDS[values.project ?? '']
  if (values.git === undefined || seeds === undefined || positionals.length === 0) throw new Error(USAGE)
  const report = (line: string) => void process.stderr.write(`${line}\n`)
  const seeded = await seedClone(resolve(values.git), seeds, Number(values.reverts))
  try {
    process.stdout.write(`${tableOf(await measure(seeded, positionals, report))}\n`)
  } finally {
    await seeded.remove()
  }
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
