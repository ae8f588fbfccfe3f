/** The page: its header, and the sign-in, the overview or one repository, depending on the address. */

import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { repositoryNamed } from './address.ts'
import { GithubUrl } from './avatar.tsx'
import { Keys } from './keys.tsx'
import { Overview } from './overview.tsx'
import { RepositoryView } from './repository.tsx'
import { SignIn, useSession } from './sign-in.tsx'
import { ProblemText } from './states.tsx'
import { useAddress } from './use-address.ts'

/** The version of the package from which the page was built. */
declare const __VERSION__: string
const ICON_URL = new URL('./icon.svg', import.meta.url).href

export function App() {
  const { state, problem, hasToken, isSignedIn, signOut, useToken } = useSession()
  const address = useAddress()
  const name = address.kind === 'repository' ? address.name : null

  useEffect(() => {
    document.title = name ? `${name} · Deconflict` : 'Deconflict'
  }, [name])

  return (
    <GithubUrl.Provider value={state?.github_url ?? null}>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <Header
        {...{ name, isSignedIn }}
        login={state?.login ?? (hasToken ? 'signed in with a token' : '')}
        onSignOut={signOut}
      />
      <main id="main" tabIndex={-1}>
        <ProblemText text={problem} />
        {state === null && problem === '' && !hasToken && <p class="loading">Loading …</p>}
        {state !== null && !isSignedIn && <SignIn state={state} onToken={useToken} />}
        {isSignedIn && address.kind === 'overview' && <Overview {...address} onSignOut={signOut} />}
        {isSignedIn && address.kind === 'repository' && (
          <RepositoryView
            key={address.name}
            name={address.name}
            view={address.view}
            login={state?.login ?? null}
            onSignOut={signOut}
          />
        )}
      </main>
    </GithubUrl.Provider>
  )
}

interface HeaderProps {
  name: string | null
  isSignedIn: boolean
  /** The login of the user, or how the user is signed in. */
  login: string
  onSignOut: () => void
}

function Header({ name, isSignedIn, login, onSignOut }: HeaderProps) {
  return (
    <header class="top line">
      <a class="brand" href="/#/" aria-label="Deconflict">
        <img src={ICON_URL} alt="" width="22" height="22" /> <span class="wide">Deconflict</span>
      </a>
      {isSignedIn && <RepositoryPicker key={name} name={name} />}
      <div class="who">
        <span class="wide line">
          <span title="The version of this page">{__VERSION__}</span>
          <a href="/docs">API</a>
          <Keys />
        </span>
        {isSignedIn && (
          <>
            <span class="wide">{login}</span>
            <button type="button" class="quiet" onClick={onSignOut}>
              Sign out
            </button>
          </>
        )}
      </div>
    </header>
  )
}

function RepositoryPicker({ name }: { name: string | null }) {
  return (
    <form
      class="picker"
      onSubmit={(event) => {
        event.preventDefault()
        const repository = repositoryNamed(String(new FormData(event.currentTarget).get('repository')))
        if (repository) location.hash = `#/${repository}`
      }}
    >
      <label class="unseen" for="repository">
        Repository
      </label>
      <input
        id="repository"
        name="repository"
        placeholder="owner/repository"
        title="owner/repository"
        pattern=".+/.+"
        required
        autocomplete="off"
        spellcheck={false}
        defaultValue={name ?? ''}
      />
      <button type="submit" class="quiet wide">
        Show
      </button>
    </form>
  )
}

const root = document.getElementById('page')
if (root) render(<App />, root)
