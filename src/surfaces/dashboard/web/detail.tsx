/** All fields of one record, in a dialog, with the actions that the user may take. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { judgedFrom, shortText } from '../../../lines/verdict-words.ts'
import type { Problem, Repository } from './api.ts'
import { Dialog, useSubmit } from './dialog.tsx'
import { ExternalLink } from './external-link.tsx'
import type { Activity, FullActivity, FullNotable, Overlap } from './records.ts'
import { duration } from './time-scale.ts'

interface Common {
  id: string
  repository: Repository
  mayWrite: boolean
  onClose: () => void
  onChanged: () => Promise<void>
}

export function ActivityDetail({
  overlaps,
  activities,
  onShow,
  ...common
}: Common & { overlaps: Overlap[]; activities: Map<string, Activity>; onShow: (id: string) => void }) {
  const { id, repository } = common
  const collisions = overlaps.filter(({ activity_ids }) => activity_ids.includes(id))
  return (
    <Detail {...common} read={repository.activity} archive={repository.archiveActivity}>
      {(activity: FullActivity) => (
        <>
          <p>{activity.summary}</p>
          <dl>
            <Fact name="Who">
              {activity.actor}
              {activity.agent && ` with ${activity.agent}`}
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
            <Fact name="Started">{timeSince(activity.created_at)}</Fact>
            <Fact name="Last heartbeat">{activity.heartbeat_at && timeSince(activity.heartbeat_at)}</Fact>
            <Fact name="Expires in">{timeUntil(activity.expires_at)} without a heartbeat</Fact>
            <Scope {...activity.scope} />
          </dl>
          {collisions.length > 0 && (
            <>
              <h3>Collides with</h3>
              <ul class="collisions">
                {collisions.map((collision) => {
                  const { activity_ids, severity, paths, areas } = collision
                  const other_id = activity_ids.find((each) => each !== id) ?? ''
                  const other = activities.get(other_id)
                  const relation = shortText(judgedFrom(id, collision))
                  return (
                    <li key={other_id}>
                      <span class={`pill severity-${severity}`}>{severity}</span>
                      <button type="button" class="link" onClick={() => onShow(other_id)}>
                        {other?.title ?? other_id} <small>{other?.actor}</small>
                      </button>
                      {paths.slice(0, 5).map(({ example }) => (
                        <code key={example}>{example}</code>
                      ))}
                      {relation && <small>{relation}</small>}
                      {paths.length === 0 && <small>area {areas.join(', ')}</small>}
                    </li>
                  )
                })}
              </ul>
            </>
          )}
        </>
      )}
    </Detail>
  )
}

export function NotableDetail({ onEdit, ...common }: Common & { onEdit: (notable: FullNotable) => void }) {
  const { repository } = common
  return (
    <Detail {...common} read={repository.notable} archive={repository.archiveNotable} edit={onEdit}>
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
            <Fact name="Expires in">{timeUntil(notable.expires_at)}</Fact>
            <Scope {...notable.scope} />
          </dl>
        </>
      )}
    </Detail>
  )
}

function Detail<Record extends { title: string; status: string }>({
  id,
  mayWrite,
  read,
  archive,
  edit,
  onClose,
  onChanged,
  children,
}: Common & {
  read: (id: string) => Promise<Record>
  archive: (id: string) => Promise<unknown>
  edit?: (record: Record) => void
  children: (record: Record) => ComponentChildren
}) {
  const [record, setRecord] = useState<Record | null>(null)
  const { problem, setProblem, isSending, send } = useSubmit({ onChanged, onClose })
  useEffect(() => {
    read(id).then(setRecord, (error: Problem) => setProblem(error.message))
  }, [id])
  return (
    <Dialog title={record?.title ?? 'Loading …'} onClose={onClose}>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {record && children(record)}
      {record && mayWrite && record.status !== 'archived' && record.status !== 'expired' && (
        <div class="line end">
          {edit && (
            <button type="button" class="quiet" onClick={() => edit(record)}>
              Edit
            </button>
          )}
          <button
            type="button"
            class="danger"
            disabled={isSending}
            onClick={() => void send(() => archive(id))}
          >
            Archive
          </button>
        </div>
      )}
    </Dialog>
  )
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  if (children === null || children === false || children === '') return null
  if (Array.isArray(children) && children.every((child) => !child)) return null
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

function timeSince(instant: string): string {
  return `${duration(Date.now() - Date.parse(instant))} ago`
}

function timeUntil(instant: string): string {
  return duration(Date.parse(instant) - Date.now())
}

const PATHS_MAX = 100

function Scope({ areas, paths }: { areas: string[]; paths: string[] }) {
  return (
    <>
      <Fact name="Areas">{areas.join(', ')}</Fact>
      {paths.length > 0 && (
        <Fact name="Paths">
          <ul class="paths">
            {paths.slice(0, PATHS_MAX).map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
          {paths.length > PATHS_MAX && `and ${paths.length - PATHS_MAX} more`}
        </Fact>
      )}
    </>
  )
}
