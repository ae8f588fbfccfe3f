/** All fields of one record, in a dialog, with the actions that the user may take. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isLive } from '../vocabulary/activity-status.ts'
import { pullRequestName } from '../vocabulary/names.ts'
import { HIDDEN_BECAUSE } from '../vocabulary/shown.ts'
import { CONSEQUENCE_WORDS } from '../vocabulary/verdict-words.ts'
import type { Problem, Repository } from './api.ts'
import { CopyButton, ExternalLink, Limited, PullRequestLink, RecordLink } from './controls.tsx'
import { Dialog, useSubmit } from './dialog.tsx'
import { duration, timeAgo } from './duration.ts'
import { encounterOf } from './encounters.ts'
import { Pair } from './overlap-card.tsx'
import type { Activity, Why as Answer, FullActivity, FullNotable } from './records.ts'
import type { RepositoryModel } from './repository-model.ts'
import { ProblemText } from './states.tsx'

const OVERLAPS_MAX = 5

interface Common {
  id: string
  repository: Repository
  mayWrite: boolean
  onClose: () => void
  onChanged: () => Promise<void>
}

export function ActivityDetail({ model, ...common }: Common & { model: RepositoryModel }) {
  const { id, repository } = common
  const { work, reader } = model
  const encounters = work.collisions
    .filter(({ activity_ids }) => activity_ids.includes(id))
    .flatMap((overlap) => encounterOf(overlap, work, { reader, hub: id }) ?? [])
  return (
    <Detail {...common} read={repository.activity} archive={repository.archiveActivity}>
      {(activity: FullActivity) => (
        <>
          <p>{activity.summary}</p>
          <Facts activity={activity} listed={work.activities.get(id)} />
          {activity.pr_url && (
            <Why number={Number(/\d+$/.exec(activity.pr_url)?.[0])} repository={repository} />
          )}
          {encounters.length > 0 && (
            <>
              <h3>Overlaps with</h3>
              <Limited items={encounters} max={OVERLAPS_MAX}>
                {(encounter) => (
                  <li
                    key={encounter.mine.id + encounter.other.id}
                    class={`overlap edge-${encounter.severity}`}
                  >
                    <Pair {...model} encounter={encounter} above={{ hub: id }} />
                  </li>
                )}
              </Limited>
            </>
          )}
        </>
      )}
    </Detail>
  )
}

/** `listed`: what the list says of it besides; undefined if it is not live. */
function Facts({ activity, listed }: { activity: FullActivity; listed: Activity | undefined }) {
  const { opened_at, pushed_at, is_bot } = listed ?? {}
  const changed = activity.scope.changes.map(({ path }) => path)
  return (
    <dl>
      <Fact name="Who">
        {activity.actor}
        {activity.agent && ` with ${activity.agent}`}
        {is_bot && ', a bot'}
      </Fact>
      <Fact name="Status">
        {activity.status}, risk {activity.risk}
        {activity.blocking && ', prominent warning'}
      </Fact>
      <Fact name="Branch">
        {activity.branch && <code>{activity.branch}</code>}
        {activity.base_branch && (
          <>
            {' '}
            into <code>{activity.base_branch}</code>
          </>
        )}
      </Fact>
      <Fact name="Pull request">{activity.pr_url && <ExternalLink url={activity.pr_url} />}</Fact>
      <Fact name="Opened">{opened_at && timeSince(opened_at)}</Fact>
      <Fact name="Last push">{pushed_at && timeSince(pushed_at)}</Fact>
      {activity.source === 'api' && (
        <>
          <Fact name="Started">{timeSince(activity.created_at)}</Fact>
          <Fact name="Last heartbeat">{activity.heartbeat_at && timeSince(activity.heartbeat_at)}</Fact>
          <Fact name="Expires in">
            {isLive(activity.status) && `${timeUntil(activity.expires_at)} without a heartbeat`}
          </Fact>
        </>
      )}
      <Fact name="Areas">{activity.scope.areas.join(', ')}</Fact>
      <Paths name="Paths" paths={activity.scope.paths.filter((path) => !changed.includes(path))} />
      <Paths name="Changed files" paths={changed} />
    </dl>
  )
}

export function NotableDetail(common: Common) {
  const { repository } = common
  return (
    <Detail {...common} read={repository.notable} archive={repository.archiveNotable}>
      {(notable: FullNotable) => (
        <>
          <p>{notable.summary}</p>
          <dl>
            <Fact name="Importance">
              {notable.importance}, {notable.category}
              {notable.blocking && ', prominent warning'}
            </Fact>
            <Fact name="Raised by">{notable.created_by}</Fact>
            <Fact name="Decision">{notable.decision_url && <ExternalLink url={notable.decision_url} />}</Fact>
            <Fact name="Applies until">
              {notable.applies_until && new Date(notable.applies_until).toLocaleString()}
            </Fact>
            <Fact name="Raised">{timeSince(notable.created_at)}</Fact>
            <Fact name="Expires in">{notable.status === 'active' && timeUntil(notable.expires_at)}</Fact>
            <Fact name="Areas">{notable.scope.areas.join(', ')}</Fact>
            <Paths name="Paths" paths={notable.scope.paths} />
          </dl>
        </>
      )}
    </Detail>
  )
}

interface DetailProps<Record> extends Common {
  read: (id: string) => Promise<Record>
  archive: (id: string) => Promise<unknown>
  children: (record: Record) => ComponentChildren
}

function Detail<Record extends { title: string; status: string }>(props: DetailProps<Record>) {
  const { id, mayWrite, read, archive, onClose, onChanged, children } = props
  const [record, setRecord] = useState<Record | null>(null)
  const { problem, setProblem, isSending, send } = useSubmit({ onChanged, onClose })
  useEffect(() => {
    read(id).then(setRecord, (error: Problem) => setProblem(error.message))
  }, [id])
  const canChange = record && mayWrite && record.status !== 'archived' && record.status !== 'expired'
  return (
    <Dialog title={record?.title ?? (problem ? 'Not available' : 'Loading …')} onClose={onClose}>
      <ProblemText text={problem} />
      {record && children(record)}
      {record && (
        <div class="line end">
          <CopyButton text={() => location.href} what="the address" />
          {canChange && (
            <button
              type="button"
              class="danger"
              disabled={isSending}
              onClick={() => void send(() => archive(id))}
            >
              Archive
            </button>
          )}
        </div>
      )}
    </Dialog>
  )
}

/** A name and its value; nothing without a value. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  if ([children].flat().every((child) => !child)) return null
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

function timeSince(instant: string): string {
  return timeAgo(Date.now() - Date.parse(instant))
}

function timeUntil(instant: string): string {
  return duration(Date.parse(instant) - Date.now())
}

const PATHS_MAX = 100

function Paths({ name, paths }: { name: string; paths: string[] }) {
  if (paths.length === 0) return null
  return (
    <Fact name={name}>
      <Limited items={paths} max={PATHS_MAX}>
        {(path) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        )}
      </Limited>
    </Fact>
  )
}

export function Why({ number, repository }: { number: number; repository: Repository }) {
  const [answer, setAnswer] = useState<Answer | null>(null)
  const [problem, setProblem] = useState('')
  const ask = () => void repository.why(number).then(setAnswer, (error: Problem) => setProblem(error.message))
  if (answer === null)
    return (
      <>
        <button type="button" class="quiet" onClick={ask}>
          Why was this (not) commented?
        </button>
        <ProblemText text={problem} />
      </>
    )
  return (
    <>
      <h3>{answer.is_commented ? 'Commented' : 'Not commented'}</h3>
      {answer.pairs.length === 0 && <p class="hint">It overlaps with nothing.</p>}
      <ul>
        {answer.pairs.map(({ activity_id, title, actor, pr_url, consequence, reason, decided_by }) => (
          <li key={activity_id ?? pr_url}>
            {activity_id !== null ? (
              <RecordLink id={activity_id}>{title ?? pullRequestName(pr_url) ?? activity_id}</RecordLink>
            ) : (
              pr_url && <PullRequestLink url={pr_url} />
            )}
            {actor && ` by ${actor}`}
            {consequence && `, ${CONSEQUENCE_WORDS[consequence]}`}:{' '}
            {reason === null ? 'shown' : `not shown, ${HIDDEN_BECAUSE[reason]} (${decided_by})`}
          </li>
        ))}
      </ul>
    </>
  )
}
