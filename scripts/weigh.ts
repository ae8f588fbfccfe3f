/** Weighs the project: `npm run weigh`. Prints figures beside their limits and fails above them; `--quick` leaves out the acts. */
import { toolsWith } from '../src/client/mcp/tools.ts'
import { countFilesOfActs } from './weigh/acts.ts'
import { LIMITS } from './weigh/limits.ts'
import { sizes } from './weigh/sizes.ts'

const isQuick = process.argv.includes('--quick')
const figures: Record<string, number> = { ...sizes(), ...(isQuick ? {} : await countFilesOfActs()) }
const rows = Object.entries(figures).map(([name, figure]) => ({ name, figure, limit: LIMITS[name] ?? 0 }))

const shown = (count: number) => count.toLocaleString('en')
const lines = rows.map(({ name, figure, limit }) => `| ${name} | ${shown(figure)} | ${shown(limit)} |`)
process.stdout.write(`${['| figure | now | at most |', '| --- | ---: | ---: |', ...lines].join('\n')}\n`)

if (!isQuick) {
  // Clients put every tool into the context of their model, at about four bytes a token.
  const tokensOf = (tool: object) => Math.ceil(Buffer.byteLength(JSON.stringify(tool)) / 4)
  const tools = toolsWith({}).map(({ listed }) => `| ${listed.name} | ${tokensOf(listed)} |`)
  process.stdout.write(`\n${['| tool of MCP | tokens |', '| --- | ---: |', ...tools].join('\n')}\n`)
}

for (const { name, figure, limit } of rows.filter(({ figure, limit }) => figure > limit)) {
  process.stderr.write(
    `${name}: ${shown(figure)} is above ${shown(limit)}. Take something away (scripts/weigh/limits.ts).\n`,
  )
  process.exitCode = 1
}
