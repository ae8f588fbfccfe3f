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
  const rule = HEAD.map(() => '---')
  return [HEAD, rule, ...rows.map(cellsOf)].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function cellsOf({ fault, load, requests, acknowledged, refused, lost, duplicated }: Row): string[] {
  const statuses = Object.entries(refused).map(
    ([status, count]) => `${count} × ${status === 'none' ? 'no answer' : status}`,
  )
  return [fault, load, requests, acknowledged, statuses.join(', ') || 'none', lost, duplicated].map(String)
}
