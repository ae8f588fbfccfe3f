/** A strip of a file: where in it each side works. */
import { linesText } from '../vocabulary/verdict-words.ts'
import type { Strip } from './hot-spots.ts'

export function StripView({ strip }: { strip: Strip }) {
  return (
    <span class="strips" aria-hidden="true">
      {strip.map((ranges, side) => (
        <span key={side} class="strip">
          {ranges.map(({ start, end, lines }) => (
            <span
              key={lines.join()}
              style={{ left: `${start * 100}%`, width: `${(end - start) * 100}%` }}
              title={linesText(lines)}
            />
          ))}
        </span>
      ))}
    </span>
  )
}
