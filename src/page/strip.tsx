/** A strip of a file: where in it each side works. */
import type { LineRange } from '../vocabulary/verdict.ts'
import { linesText, OVERLAP_WORDS } from '../vocabulary/verdict-words.ts'
import type { Strip } from './hot-spots.ts'

/** The ranges of one side. `side`: whether it is the reader's or another one's, for the color. */
export function StripTrack({ ranges, side }: { ranges: Strip['ranges'][number]; side: 'mine' | 'theirs' }) {
  return (
    <span class={`strip ${side}`} aria-hidden="true">
      {ranges.map(({ start, end, lines }) => (
        <span
          key={lines.join()}
          style={{ left: `${start * 100}%`, width: `${(end - start) * 100}%` }}
          title={linesText(lines)}
        />
      ))}
    </span>
  )
}

export function StripAxis({ first, last }: Pick<Strip, 'first' | 'last'>) {
  return (
    <span class="strip-axis" aria-hidden="true">
      <span>{first === 1 ? 'line 1' : first}</span>
      <span>{last}</span>
    </span>
  )
}

/** `lines 40–52 and 61`, or `lines not known`. */
export function stripLines(ranges: readonly LineRange[]): string {
  return linesText(...ranges) || OVERLAP_WORDS.unknown.label
}
