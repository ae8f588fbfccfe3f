/** The overview: all repositories with live work that the reader may see, those that need attention first. */
import { count } from '../vocabulary/text.ts'
import { CONSEQUENCE_WORDS } from '../vocabulary/verdict-words.ts'
import { NAMED_CONSEQUENCES, type NamedConsequence } from './address.ts'
import { overview } from './api.ts'
import { Avatars } from './avatar.tsx'
import { timeAgo } from './duration.ts'
import type { RepositoryOverview } from './records.ts'
import { headline } from './repository-model.ts'
import { NoWork, ProblemText, Refused } from './states.tsx'
import { goTo } from './use-address.ts'
import { usePolling } from './use-records.ts'

type Summary = RepositoryOverview['items'][number]

/** How often the overview is read. The service compares the work of a repository again only if it has changed. */
const INTERVAL_MS = 30_000

interface Props {
  text: string
  onSignOut: () => void
}

export function Overview({ text, onSignOut }: Props) {
  const { data: loaded, problem } = usePolling(overview, INTERVAL_MS)
  if (!loaded) {
    if (problem) return <Refused problem={problem} what="Your repositories" onSignOut={onSignOut} />
    return <p class="loading">Loading your repositories …</p>
  }
  const needle = text.trim().toLowerCase()
  const shown = loaded.items.filter(({ owner, name }) => `${owner}/${name}`.toLowerCase().includes(needle))
  return (
    <>
      <div class="head line">
        <h1>Your repositories</h1>
        <h2 class="counts">{totalsText(shown)}</h2>
      </div>
      <ProblemText text={problem ? `Out of date: ${problem.message} The page keeps trying.` : ''} />
      {loaded.items.length > 0 && (
        <label class="search">
          <span class="unseen">Search repositories</span>
          <input
            type="search"
            placeholder="Search repositories …"
            value={text}
            onInput={(event) =>
              goTo({ kind: 'overview', text: event.currentTarget.value }, { replace: true })
            }
          />
        </label>
      )}
      {shown.length > 0 && (
        <ul class="card repositories">
          {shown.map((each) => (
            <Repository key={`${each.owner}/${each.name}`} {...each} as_of_ms={loaded.as_of_ms} />
          ))}
        </ul>
      )}
      {shown.length === 0 && <Nothing isFiltered={loaded.items.length > 0} />}
      {!loaded.complete && (
        <p class="hint" role="note">
          Some repositories may be missing: there are more than are listed at once, or an organisation asks
          you for single sign-on. Open them by name, above.
        </p>
      )}
    </>
  )
}

function totalsText(items: readonly Summary[]): string {
  const sum = (of: (each: Summary) => number) => items.reduce((total, each) => total + of(each), 0)
  const activities = sum(({ live_activities }) => live_activities)
  const counts = Object.fromEntries(
    NAMED_CONSEQUENCES.map((name) => [name, sum(({ consequences }) => consequences?.[name] ?? 0)]),
  )
  const isExact = items.every(({ consequences }) => consequences !== null)
  return `${items.length} with live work, ${count(activities, 'activity', 'activities')}. ${headline(counts, { is_exact: isExact })}`
}

/** The whole row is the link. */
function Repository(summary: Summary & { as_of_ms: number }) {
  const { owner, name, live_activities, consequences, high_notables, people, logins } = summary
  const worst = NAMED_CONSEQUENCES.find((each) => (consequences?.[each] ?? 0) > 0)
  const persons = logins.map((login) => ({ key: login.toLowerCase(), name: login, login }))
  return (
    <li>
      <a
        class={`repository edge-${worst ? severityOf(worst) : 'none'}`}
        href={`/#/${owner}/${name}`}
        data-item
      >
        <span class="repository-name">
          <span class="soft">{owner}/</span>
          {name}
        </span>
        <span class="line">
          <Consequences {...summary} />
          {high_notables > 0 && (
            <span class="pill severity-high">{count(high_notables, 'notable', 'notables')}</span>
          )}
        </span>
        <Avatars people={persons} total={people} />
        <span class="soft">{count(live_activities, 'activity', 'activities')}</span>
        <span class="soft">{timeAgo(summary.as_of_ms - Date.parse(summary.last_change_at))}</span>
      </a>
    </li>
  )
}

function severityOf(consequence: NamedConsequence) {
  return consequence === 'possible' ? 'medium' : 'high'
}

function Consequences({ consequences }: Summary) {
  if (consequences === null) return <span class="soft">overlaps not counted</span>
  const found = NAMED_CONSEQUENCES.filter((name) => consequences[name] > 0)
  if (found.length === 0) return <span class="soft">✓ clear</span>
  return (
    <>
      {found.map((name) => (
        <span key={name} class={`pill severity-${severityOf(name)}`}>
          {CONSEQUENCE_WORDS[name]} {consequences[name]}
        </span>
      ))}
    </>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <p class="card empty">
        No repository with live work matches. <a href="/#/">Show all</a>
      </p>
    )
  return (
    <NoWork
      title="Nothing is open in the repositories that you can see."
      next="Pull requests of tracked repositories appear here when they are opened, and work when it is announced:"
    />
  )
}
