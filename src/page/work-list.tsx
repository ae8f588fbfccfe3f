/** The live work that matches the filters, one line each. */
import { memo } from 'preact/compat'
import { Limited } from './limited.tsx'
import type { LiveWork } from './live-work.ts'
import { Side } from './overlap-card.tsx'
import type { Activity } from './records.ts'

const SHOWN_MAX = 6

interface Props {
  work: LiveWork
  shown: Activity[]
  now_ms: number
}

export const WorkList = memo(({ work, shown, now_ms }: Props) => (
  <section class="work" aria-labelledby="work-heading">
    <h3 id="work-heading">Live work</h3>
    {shown.length === 0 && <p class="hint">No activity matches.</p>}
    <Limited items={shown} max={SHOWN_MAX}>
      {(activity) => (
        <li key={activity.id} class="work-row">
          <Side {...{ activity, work, now_ms }} />
        </li>
      )}
    </Limited>
  </section>
))
