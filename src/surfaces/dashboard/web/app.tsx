/** The page as a whole: who is signed in, which repository is shown. */
import { useEffect, useState } from 'preact/hooks'
import { type Problem, type SessionState, session, tabToken } from './api.ts'
import { RepositoryView } from './repository.tsx'
import { PROBLEMS, SignIn } from './sign-in.tsx'

const ICON = new URL('./icon.svg', import.meta.url).href
const RECENT = 'deconflict-recent'
const RECENT_MAX = 8

const nameInAddress = () => /^#\/([\w.-]+\/[\w.-]+)$/.exec(location.hash)?.[1] ?? null

export function App() {
  const [state, setState] = useState<SessionState | null>(null)
  const [problem, setProblem] = useState(
    PROBLEMS[new URLSearchParams(location.search).get('problem') ?? ''] ?? '',
  )
  const [name, setName] = useState(nameInAddress)
  const [hasToken, setHasToken] = useState(tabToken.read() !== null)

  useEffect(() => {
    session.read().then(setState, (error: Problem) => setProblem(error.message))
    const follow = () => setName(nameInAddress())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  useEffect(() => {
    document.title = name ? `${name} · Deconflict` : 'Deconflict'
    if (name) remember(name)
  }, [name])

  const isSignedIn = hasToken || state?.is_signed_in === true
  const leave = async () => {
    tabToken.clear()
    setHasToken(false)
    if (state?.is_signed_in) await session.end().catch(() => {})
    setState(state && { ...state, is_signed_in: false, login: null })
  }
  return (
    <>
      <a class="skip" href="#main">
        Skip to the work
      </a>
      <header class="top">
        <a class="brand" href="#/">
          <img src={ICON} alt="" width="22" height="22" /> Deconflict
        </a>
        {isSignedIn && <RepositoryPicker key={name} name={name} />}
        <div class="who">
          <a href="/docs">API</a>
          {isSignedIn && (
            <>
              <span>{state?.login ?? (hasToken ? 'by token' : '')}</span>
              <button type="button" class="quiet" onClick={leave}>
                Sign out
              </button>
            </>
          )}
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {state === null && !problem && <p class="loading">Loading …</p>}
        {state !== null && !isSignedIn && (
          <SignIn
            canSignIn={state.can_sign_in}
            onToken={(token) => {
              tabToken.store(token)
              setProblem('')
              setHasToken(true)
            }}
          />
        )}
        {isSignedIn && name === null && <Welcome />}
        {isSignedIn && name !== null && <RepositoryView key={name} name={name} onSignOut={leave} />}
      </main>
    </>
  )
}

function RepositoryPicker({ name }: { name: string | null }) {
  return (
    <form
      class="picker"
      onSubmit={(event) => {
        event.preventDefault()
        const given = String(new FormData(event.currentTarget).get('repository')).trim()
        const found = /([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(given)?.[1]
        if (found) location.hash = `#/${found}`
      }}
    >
      <label class="unseen" for="repository">
        Repository
      </label>
      <input
        id="repository"
        name="repository"
        list="recent"
        placeholder="owner/repository"
        autocomplete="off"
        spellcheck={false}
        defaultValue={name ?? ''}
      />
      <datalist id="recent">
        {recent().map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <button type="submit">Show</button>
    </form>
  )
}

function Welcome() {
  const known = recent()
  return (
    <section class="card welcome">
      <h1>Who is working on what, now?</h1>
      <p>Name a repository above, as on GitHub: owner/repository.</p>
      {known.length > 0 && (
        <ul>
          {known.map((each) => (
            <li key={each}>
              <a href={`#/${each}`}>{each}</a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function recent(): string[] {
  return (localStorage.getItem(RECENT) ?? '').split(' ').filter(Boolean)
}

function remember(name: string): void {
  const all = [name, ...recent().filter((each) => each !== name)].slice(0, RECENT_MAX)
  localStorage.setItem(RECENT, all.join(' '))
}
