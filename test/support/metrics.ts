/** Scrapes `/metrics` as Prometheus does. */

export type Scrape = Awaited<ReturnType<typeof scrape>>

const SAMPLE = /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (\S+)$/i
const LABEL = /([a-z_][a-z0-9_]*)="((?:[^"\\]|\\.)*)"/gi

export async function scrape(url: string) {
  const response = await fetch(`${url}/metrics`)
  const text = await response.text()
  const values = new Map<string, number>()
  const labels = new Map<string, Set<string>>()
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [, name = '', rest = '', value] = SAMPLE.exec(line) ?? []
    if (name === '') throw new Error(`no sample: ${line}`)
    values.set(spelt(name, rest), Number(value))
    const names = [...rest.matchAll(LABEL)].map(([, label]) => label as string)
    labels.set(name, new Set([...(labels.get(name) ?? []), ...names]))
  }
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    text,
    /** Of a series, such as `deconflict_jobs{kind="recheck",state="due"}` with its labels in any order; undefined where there is none. */
    value(series: string) {
      const [, name = '', rest = ''] = /^([^{]+)(?:\{(.*)\})?$/.exec(series) ?? []
      return values.get(spelt(name, rest))
    },
    /** Names of the metrics, and of their labels. */
    labels,
  }
}

function spelt(name: string, labels: string): string {
  return `${name} ${[...labels.matchAll(LABEL)]
    .map(([text]) => text)
    .sort()
    .join()}`
}
