/** Prints the rows of the fault tests as one table when all of them have run. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { Row } from './request-counts.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const HEAD = ['fault', 'load', 'requests', 'acknowledged', 'refused (by status)', 'lost', 'duplicated']

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await temporaryDirectory('request-counts')
  const file = join(directory.path, 'rows')
  project.provide('request_counts', file)
  return async () => {
    const rows = readRows(file)
    if (rows.length > 0) process.stdout.write(`\n${tableOf(rows)}\n`)
    await directory.remove()
  }
}

function readRows(file: string): Row[] {
  try {
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  } catch {
    return []
  }
}

function tableOf(rows: Row[]): string {
  const cells = [HEAD, ...rows.map(cellsOf)]
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => (row[column] as string).length)))
  const lines = cells.map((row) => row.map((cell, column) => pad(cell, column, widths)).join(' | '))
  const rule = widths.map((width, column) =>
    isNumber(column) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  )
  lines.splice(1, 0, rule.join(' | '))
  return lines.map((line) => `| ${line} |`).join('\n')
}

function cellsOf({ fault, load, requests, acknowledged, refused, lost, duplicated }: Row): string[] {
  const statuses = Object.entries(refused).map(
    ([status, count]) => `${count} × ${status === 'none' ? 'no answer' : status}`,
  )
  return [fault, load, requests, acknowledged, statuses.join(', ') || 'none', lost, duplicated].map(String)
}

function pad(cell: string, column: number, widths: number[]): string {
  const width = widths[column] as number
  return isNumber(column) ? cell.padStart(width) : cell.padEnd(width)
}

/** These columns hold numbers, which are right-aligned. */
function isNumber(column: number): boolean {
  return column !== 0 && column !== 1 && column !== 4
}
