/** The page: its header, and the sign-in, the start page or one repository, depending on the address. */
import { useEffect, useState } from 'preact/hooks'
import { type Problem, type SessionState, session, tabToken } from './api.ts'
import { RepositoryView } from './repository.tsx'
import { SIGN_IN_PROBLEMS, SignIn } from './sign-in.tsx'

const ICON_URL = new URL('./icon.svg', import.meta.url).href
const RECENT_KEY = 'deconflict-recent'
const RECENT_MAX = 8

/** `owner/name` in `#/owner/name`. */
const repositoryInAddress = () => /^#\/([\w.-]+\/[\w.-]+)$/.exec(location.hash)?.[1] ?? null

export function App() {
  const [state, setState] = useState<SessionState | null>(null)
  const [problem, setProblem] = useState(
    SIGN_IN_PROBLEMS[new URLSearchParams(location.search).get('problem') ?? ''] ?? '',
  )
  const [name, setName] = useState(repositoryInAddress)
  const [hasToken, setHasToken] = useState(tabToken.read() !== null)

  useEffect(() => {
    session.read().then(setState, (error: Problem) => setProblem(error.message))
    const onAddressChange = () => setName(repositoryInAddress())
    addEventListener('hashchange', onAddressChange)
    return () => removeEventListener('hashchange', onAddressChange)
  }, [])
  useEffect(() => {
    document.title = name ? `${name} · Deconflict` : 'Deconflict'
    if (name) addRecent(name)
  }, [name])

  const isSignedIn = hasToken || state?.is_signed_in === true
  const signOut = async () => {
    tabToken.clear()
    setHasToken(false)
    if (state?.is_signed_in) await session.end().catch(() => {})
    setState(state && { ...state, is_signed_in: false, login: null })
  }
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href="#/">
          <img src={ICON_URL} alt="" width="22" height="22" /> Deconflict
        </a>
        {isSignedIn && <RepositoryPicker key={name} name={name} />}
        <div class="who">
          <a href="/docs">API</a>
          {isSignedIn && (
            <>
              <span>{state?.login ?? (hasToken ? 'signed in with a token' : '')}</span>
              <button type="button" class="quiet" onClick={signOut}>
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
        {isSignedIn && name !== null && <RepositoryView key={name} name={name} onSignOut={signOut} />}
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
        const entered = String(new FormData(event.currentTarget).get('repository')).trim()
        const repository = /([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(entered)?.[1]
        if (repository) location.hash = `#/${repository}`
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
        {recentNames().map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <button type="submit">Show</button>
    </form>
  )
}

function Welcome() {
  const names = recentNames()
  return (
    <section class="card welcome">
      <h1>Who is working on what, now?</h1>
      <p>Enter a repository above, as owner/repository.</p>
      {names.length > 0 && (
        <ul>
          {names.map((each) => (
            <li key={each}>
              <a href={`#/${each}`}>{each}</a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function recentNames(): string[] {
  return (localStorage.getItem(RECENT_KEY) ?? '').split(' ').filter(Boolean)
}

function addRecent(name: string): void {
  const all = [name, ...recentNames().filter((each) => each !== name)].slice(0, RECENT_MAX)
  localStorage.setItem(RECENT_KEY, all.join(' '))
}
