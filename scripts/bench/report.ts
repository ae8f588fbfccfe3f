/** What a run leaves behind: the table of goals, JSON, and the pages under docs/. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from './child.ts'
import type { Goal } from './goals.ts'
import { type Measure, type Skipped, shown } from './measure.ts'
import { plot, type Series } from './plot.ts'

/** The circumstances of a run. */
export interface Circumstances {
  commit: string
  started_at: string
  seconds: number
  /** Small sizes: the figures say nothing. */
  quick: boolean
  parts: string[]
  node: string
  postgres: string | null
  cores: number
  processor: string
  /** Of the last minute, when the run began and when it ended. */
  load_average: [number, number]
}

export interface Report {
  circumstances: Circumstances
  goals: Goal[]
  measures: Measure[]
  skipped: Skipped[]
}

export function goalTable(goals: Goal[]): string {
  const rows = goals.map(({ what, goal, measured, held, note }) => [
    what,
    goal,
    measured === null ? '–' : shown(measured),
    held === null ? '–' : held ? 'held' : 'missed',
    note,
  ])
  const heads = ['what', 'goal', 'measured', '', 'note']
  const widths = heads.map((head, at) =>
    Math.max(head.length, ...rows.map((row) => (row[at] as string).length)),
  )
  const line = (cells: string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] as number)).join(' | ')} |`
  return [line(heads), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

function measureTable(measures: Measure[]): string {
  const rows = measures.map(
    ({ label, unit, median, rounds }) =>
      `| ${label} | ${shown(median)} ${unit} | ${shown(Math.min(...rounds))} – ${shown(Math.max(...rounds))} |`,
  )
  return ['| what | median | rounds |', '|---|---|---|', ...rows].join('\n')
}

export async function writeJson(file: string, report: Report): Promise<void> {
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`)
}

const BEGIN = '<!-- what follows is written by npm run bench -- --docs -->'
const END = '<!-- until here -->'

/** Puts the run into docs/performance.md, between the two marks, and its plot and JSON beside it. */
export async function writeDocs(report: Report): Promise<void> {
  const page = join(ROOT, 'docs/performance.md')
  const text = await readFile(page, 'utf8')
  const [before, rest] = text.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error(`${page} has lost its marks`)
  const { circumstances: run, goals, measures, skipped } = report
  const [load_before, load_after] = run.load_average
  const facts = [
    `Commit ${run.commit}, ${run.started_at.slice(0, 16).replace('T', ' ')} UTC, ${Math.round(run.seconds / 60)} minutes; Node ${run.node}, ${run.postgres ?? 'no PostgreSQL'}, ${run.cores} cores (${run.processor});`,
    `load average ${shown(load_before)} before and ${shown(load_after)} after.`,
  ]
  const left = skipped.map(({ what, why }) => `- Left out: ${what}, ${why}.`)
  const series = growth(measures)
  const image = series.length > 0 ? ['![Latency by number of live activities](performance.svg)'] : []
  const sections = [
    facts.join(' '),
    goalTable(goals),
    ...left,
    ...image,
    '## All figures of this run',
    measureTable(measures),
  ]
  await writeFile(page, `${before}${BEGIN}\n\n${sections.join('\n\n')}\n\n${END}${after}`)
  await writeJson(join(ROOT, 'docs/performance.json'), report)
  if (series.length > 0) {
    const titles = {
      title: 'Median latency over HTTP, one client',
      x: 'live activities in the repository',
      y: 'ms',
    }
    await writeFile(join(ROOT, 'docs/performance.svg'), plot(series, titles))
  }
}

/** What there is of cost by size. */
function growth(measures: Measure[]): Series[] {
  const kinds = [
    { prefix: 'check.sparse', label: 'check, sparse', colour: '#1f77b4' },
    { prefix: 'check.dense', label: 'check, 13 % overlap', colour: '#d62728' },
    { prefix: 'create.size', label: 'create', colour: '#2ca02c' },
    { prefix: 'list.size', label: 'list of 50', colour: '#9467bd' },
  ]
  return kinds.flatMap(({ prefix, label, colour }) => {
    const points = measures.flatMap(({ id, median }) => {
      const size = new RegExp(`^${prefix}\\.(\\d+)\\.p50$`).exec(id)?.[1]
      return size === undefined ? [] : [{ x: Number(size), y: median }]
    })
    return points.length < 2 ? [] : [{ label, colour, points: points.sort((a, b) => a.x - b.x) }]
  })
}
