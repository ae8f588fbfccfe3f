/** Weighs the project: `npm run weigh`. Prints figures beside their limits and fails above them; `--quick` leaves out the acts. */
import { toolsWith } from '../src/client/mcp/tools.ts'
import { countFilesOfActs } from './weigh/acts.ts'
import { LIMITS, TOOLS } from './weigh/limits.ts'
import { sizes } from './weigh/sizes.ts'

const isQuick = process.argv.includes('--quick')
const figures: Record<string, number> = {
  ...sizes(),
  ...tokensOfTools(),
  ...(isQuick ? {} : await countFilesOfActs()),
}
const limits: Record<string, number> = { ...LIMITS, ...TOOLS }
const rows = Object.entries(figures).map(([name, figure]) => ({ name, figure, limit: limits[name] ?? 0 }))

const shown = (count: number) => count.toLocaleString('en')
const lines = rows.map(({ name, figure, limit }) => `| ${name} | ${shown(figure)} | ${shown(limit)} |`)
process.stdout.write(`${['| figure | now | at most |', '| --- | ---: | ---: |', ...lines].join('\n')}\n`)

/** Clients put every tool into the context of their model, at about four bytes a token. */
function tokensOfTools(): Record<string, number> {
  const tokensOf = (tool: object) => Math.ceil(Buffer.byteLength(JSON.stringify(tool)) / 4)
  return Object.fromEntries(
    toolsWith({}).map(({ listed }) => [`tokens of the tool ${listed.name}`, tokensOf(listed)]),
  )
}

for (const { name, figure, limit } of rows.filter(({ figure, limit }) => figure > limit)) {
  process.stderr.write(
    `${name}: ${shown(figure)} is above ${shown(limit)}. Take something away (scripts/weigh/limits.ts).\n`,
  )
  process.exitCode = 1
}
