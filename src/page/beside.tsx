/** What stands beside the overlaps: the merge order, issues with several activities, and the folders with the most people. */

import { useContext } from 'preact/hooks'
import { Avatars, GithubUrl } from './avatar.tsx'
import { ExternalLink, Limited, PullRequestLink, RecordLink } from './controls.tsx'
import type { HotFolder } from './hot-spots.ts'
import { type LiveWork, nameOf, sharedIssues } from './live-work.ts'
import type { MergeOrder } from './records.ts'
import { changeView } from './use-address.ts'

const ORDER_MAX = 6

interface Props {
  merge_order: MergeOrder | null
  work: LiveWork
}

export function MergeOrderCard({ merge_order, work: { activities } }: Props) {
  const seen = merge_order?.items.filter(({ activity_id }) => activities.has(activity_id)) ?? []
  if (seen.length === 0) return null
  return (
    <section class="card merge-order" aria-labelledby="merge-order-heading">
      <h2 id="merge-order-heading">Merge order</h2>
      <p class="hint">Those with the fewest conflicts first.</p>
      <Limited items={seen.map((item, at) => ({ ...item, at }))} max={ORDER_MAX}>
        {({ activity_id, pr_url, at, reason }) => (
          <li key={activity_id}>
            <span class="soft">{at + 1}</span>
            <PullRequestLink url={pr_url} />
            <RecordLink id={activity_id}>{activities.get(activity_id)?.title}</RecordLink>
            <small>{reason}</small>
          </li>
        )}
      </Limited>
      {merge_order?.reason && <p class="hint">{merge_order.reason}</p>}
    </section>
  )
}

const ISSUES_MAX = 3

export function Issues({ work, name }: { work: LiveWork; name: string }) {
  const github_url = useContext(GithubUrl)
  const issues = sharedIssues(work)
  if (issues.length === 0) return null
  return (
    <section class="card" aria-labelledby="issues-heading">
      <h2 id="issues-heading">Issues with two or more</h2>
      <Limited items={issues} max={ISSUES_MAX}>
        {({ number, activities }) => (
          <li key={number} class="issue">
            <ExternalLink url={`${github_url}/${name}/issues/${number}`} text={`#${number}`} />{' '}
            <span class="soft">{activities.length} at work</span>
            <Limited items={activities} max={ISSUES_MAX}>
              {(activity) => (
                <li key={activity.id}>
                  <RecordLink id={activity.id}>{activity.title}</RecordLink>{' '}
                  <small>
                    {activity.actor} {nameOf(activity)}
                  </small>
                </li>
              )}
            </Limited>
          </li>
        )}
      </Limited>
    </section>
  )
}

const FOLDERS_MAX = 5

/** `chosen`: the path of the filter. */
export function HotSpots({ folders, chosen }: { folders: HotFolder[]; chosen: string | null }) {
  if (folders.length === 0) return null
  return (
    <section class="card hot-spots" aria-labelledby="hot-heading">
      <h2 id="hot-heading">Hot folders</h2>
      <Limited items={folders} max={FOLDERS_MAX}>
        {({ path, people, severity }) => (
          <li key={path} class={`edge-${severity ?? 'none'}`}>
            <button
              type="button"
              class="link path"
              data-item
              aria-pressed={chosen === path}
              onClick={() => changeView({ path: chosen === path ? null : path })}
            >
              {path}
            </button>
            <Avatars people={people} />
            <span class="soft">
              {people.length} <span class="unseen">people</span>
            </span>
          </li>
        )}
      </Limited>
    </section>
  )
}
