/** A log-log plot as SVG that is legible on light and dark backgrounds. */
export interface Series {
  label: string
  color: string
  points: { x: number; y: number }[]
}

const WIDTH = 760
const HEIGHT = 460
const LEFT = 70
const RIGHT = 210
const TOP = 44
const BOTTOM = 56
const TEXT = 'font-family="system-ui, sans-serif" font-size="13" fill="#333"'

export function plot(series: Series[], titles: { title: string; x: string; y: string }): string {
  const points = series.flatMap((each) => each.points)
  const x = axis(
    points.map((point) => point.x),
    { from: LEFT, to: WIDTH - RIGHT },
  )
  const y = axis(
    points.map((point) => point.y),
    { from: HEIGHT - BOTTOM, to: TOP },
  )
  const text = (at: [number, number], content: string, more = '') =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" ${TEXT} ${more}>${escaped(content)}</text>`
  const rule = (from: [number, number], to: [number, number]) =>
    `<path d="M${from.join(' ')} L${to.join(' ')}" stroke="#ddd" fill="none"/>`
  const parts = [
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text([LEFT, 24], titles.title, 'font-weight="600"'),
    ...x.decades.flatMap((value) => [
      rule([x.at(value), TOP], [x.at(value), HEIGHT - BOTTOM]),
      text([x.at(value), HEIGHT - BOTTOM + 20], value.toLocaleString('en-US'), 'text-anchor="middle"'),
    ]),
    ...y.decades.flatMap((value) => [
      rule([LEFT, y.at(value)], [WIDTH - RIGHT, y.at(value)]),
      text([LEFT - 8, y.at(value) + 4], value.toLocaleString('en-US'), 'text-anchor="end"'),
    ]),
    text([(LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12], titles.x, 'text-anchor="middle"'),
    text(
      [16, (TOP + HEIGHT - BOTTOM) / 2],
      titles.y,
      `text-anchor="middle" transform="rotate(-90 16 ${(TOP + HEIGHT - BOTTOM) / 2})"`,
    ),
    ...series.flatMap(({ label, color, points: own }, at) => {
      const path = own.map(
        (point, n) => `${n === 0 ? 'M' : 'L'}${x.at(point.x).toFixed(1)} ${y.at(point.y).toFixed(1)}`,
      )
      return [
        `<path d="${path.join(' ')}" stroke="${color}" stroke-width="2" fill="none"/>`,
        ...own.map(
          (point) =>
            `<circle cx="${x.at(point.x).toFixed(1)}" cy="${y.at(point.y).toFixed(1)}" r="4" fill="${color}"/>`,
        ),
        `<circle cx="${WIDTH - RIGHT + 20}" cy="${TOP + 12 + at * 22}" r="5" fill="${color}"/>`,
        text([WIDTH - RIGHT + 32, TOP + 16 + at * 22], label),
      ]
    }),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">
<title>${escaped(`${titles.title}, by ${titles.x}`)}</title>
${parts.join('\n')}
</svg>
`
}

interface Axis {
  /** The powers of ten that enclose all values. */
  decades: number[]
  at(value: number): number
}

function axis(values: number[], { from, to }: { from: number; to: number }): Axis {
  const first = Math.floor(Math.log10(Math.min(...values)))
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))))
  const decades = Array.from({ length: last - first + 1 }, (_, n) => 10 ** (first + n))
  return { decades, at: (value) => from + ((Math.log10(value) - first) / (last - first)) * (to - from) }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
