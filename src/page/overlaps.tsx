/** The overlaps: those that need somebody, the reader's own, and in one line those that need nobody; then all live work. */

import { memo } from 'preact/compat'
import { useState } from 'preact/hooks'
import { count } from '../vocabulary/text.ts'
import { Limited, RecordLink } from './controls.tsx'
import type { LiveWork } from './live-work.ts'
import { OverlapCard, Side } from './overlap-card.tsx'
import type { Activity } from './records.ts'
import type { RepositoryModel } from './repository-model.ts'

const CARDS_MAX = 5
const OWN_MAX = 2

export const Overlaps = memo(({ model }: { model: RepositoryModel }) => {
  const { needs, own, others_own, same_file, work } = model
  const sections = [
    { name: 'Needs somebody', groups: needs, max: CARDS_MAX },
    { name: 'Your own', groups: own, max: OWN_MAX },
  ]
  return (
    <div class="overlaps">
      {sections.map(
        ({ name, groups, max }) =>
          groups.length > 0 && (
            <section key={name} aria-label={name}>
              <h3>{name}</h3>
              <Limited items={groups} max={max}>
                {(group) => <OverlapCard key={group.key} {...model} group={group} />}
              </Limited>
            </section>
          ),
      )}
      {others_own > 0 && (
        <p class="hint">{count(others_own, 'more pair has', 'more pairs have')} one author on both sides.</p>
      )}
      <SameFile {...same_file} work={work} />
    </div>
  )
})

/** One line about pairs that need nobody, and on request which ones they are. */
function SameFile({ pairs, total, among, work }: RepositoryModel['same_file'] & { work: LiveWork }) {
  const [isOpen, setIsOpen] = useState(false)
  if (total === 0 && among === null) return null
  return (
    <details class="same-file" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        {among === null
          ? `${total.toLocaleString('en')} ${total === 1 ? 'pair shares' : 'pairs share'} a file`
          : `Of the newest ${among} pairs that share a file, ${total} match`}
        ; git merges them
      </summary>
      <ul>
        {(isOpen ? pairs : []).map((pair) => (
          <li key={pair.join()} class="line">
            {pair.map((id) => (
              <RecordLink key={id} id={id}>
                {work.activities.get(id)?.title ?? id}
              </RecordLink>
            ))}
          </li>
        ))}
      </ul>
      {total > pairs.length && <p class="hint">These are the newest {pairs.length}.</p>}
    </details>
  )
}

const SHOWN_MAX = 5

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
