/** Checks the dashboard, the alerts and docs/observability.md against the exported metrics. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { EFFECTS } from '../../src/server/platform/telemetry/execution.ts'
import { openMetrics } from '../../src/server/platform/telemetry/metrics.ts'
import { systemClock } from '../../src/vocabulary/clock.ts'
import { ROUTES } from '../support/routes.ts'

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
const page = read('observability.md')
const dashboard = JSON.parse(read('grafana-dashboard.json')) as {
  panels: { title: string; datasource?: { uid: string }; targets?: { expr: string }[] }[]
  templating: { list: { name: string; type: string; query: unknown }[] }
}
const alerts = (parse(read('alerts.yml')) as { groups: { rules: { alert: string; expr: string }[] }[] })
  .groups

const { registry } = openMetrics(systemClock)
const types = new Map(
  [...(await registry.metrics()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [
    name as string,
    type as string,
  ]),
)
/** The names of all series that a scrape can contain. */
const series = new Set(
  [...types].flatMap(([name, type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => `${name}${suffix}`) : [name],
  ),
)
const ours = [...types.keys()].filter((name) => name.startsWith('deconflict_'))

const namesIn = (expr: string) => expr.match(/\b(?:deconflict|nodejs|process)_\w+/g) ?? []
const metricOf = (name: string) => (types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''))

const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
)
const rules = alerts.flatMap((group) => group.rules.map(({ alert, expr }) => [alert, expr] as const))

describe('every expression uses existing metrics and labels:', () => {
  test.each([...panels, ...rules])('%s', (_, expr) => {
    const names = namesIn(expr)
    if (!/^up\b/.test(expr)) expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => !series.has(name))).toEqual([])
    const known = new Set(['job', 'instance', 'le', ...names.flatMap(labelsOf)])
    expect(labelsIn(expr).filter((label) => !known.has(label))).toEqual([])
  })
})

test('every deconflict_ metric is on the dashboard and in the documentation', () => {
  const shown = new Set(panels.flatMap(([, expr]) => namesIn(expr).map(metricOf)))
  expect(ours.filter((name) => !shown.has(name))).toEqual([])
  expect(ours.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test.each(ours)('the documentation lists the labels of %s', (name) => {
  const row = page.split('\n').find((line) => line.startsWith('| `') && line.includes(`\`${name}\``))
  const given = [...(row?.split('|')[2] ?? '').matchAll(/`(\w+)`/g)].map(([, label]) => label)
  expect(given.sort()).toEqual(labelsOf(name).sort())
})

test('the documentation names every effect, and no metric that does not exist', () => {
  const named = page.match(/`(?:deconflict|nodejs|process)_\w+`/g) ?? []
  expect(named.map((name) => name.slice(1, -1)).filter((name) => !types.has(name))).toEqual([])
  expect(EFFECTS.filter((effect) => !page.includes(`\`${effect}\``))).toEqual([])
})

test('nginx hides the metrics in any case, but no operation', () => {
  const [, pattern = ''] = /location ~\* (\S+) \{\s*return 404;/.exec(read('../deploy/nginx.conf')) ?? []
  const isHidden = (path: string) => new RegExp(pattern, 'i').test(path)
  expect(['/metrics', '/metrics/', '/METRICS', '/Metrics/'].every(isHidden)).toBe(true)
  const operations = ROUTES.map(({ path }) => `/v1/repos/acme/metrics${path.replace('{id}', 'act_metrics')}`)
  expect(operations.filter(isHidden)).toEqual([])
})

function labelsOf(name: string): string[] {
  const metric = registry.getSingleMetric(metricOf(name)) as unknown as { labelNames: string[] }
  return metric.labelNames
}

function labelsIn(expr: string): string[] {
  const selected = [...expr.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label as string)
  const grouped = [...expr.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/\s*,\s*/))
  return [...selected, ...grouped]
}
