/** Signing in, through GitHub where the service has an OAuth client, and with a token; and how long it lasts. */
import { useCallback, useEffect, useState } from 'preact/hooks'
import { problemOf, type SessionState, session, tabToken, UNAUTHORIZED } from './api.ts'
import { ExternalLink } from './controls.tsx'

/** Why the reader has to sign in again, by the `problem` in the address that GitHub's sign-in returns to; `ended` is of the page. */
const SIGN_IN_PROBLEMS: Record<string, string> = {
  state: 'The sign-in was started in another browser or took too long. Try again.',
  ended:
    'GitHub does not accept this sign-in: it has expired or was revoked, or the token is mistyped. Sign in again.',
  code: 'GitHub did not accept the sign-in. Try again.',
  used: 'This address was used before, or is too old. Restart the service for a new one, or use a token.',
}

export function SignIn({ state, onToken }: { state: SessionState; onToken: (token: string) => void }) {
  const [token, setToken] = useState('')
  const { can_sign_in, github_url } = state
  const return_to = encodeURIComponent(`/${location.hash}`)
  return (
    <section class="card welcome">
      <h1>See who works on what, before the merge</h1>
      <p>You see the repositories that you can see on GitHub, and nothing else.</p>
      {can_sign_in && (
        <p>
          <a class="button" href={`/session/login?return_to=${return_to}`}>
            Sign in with GitHub
          </a>
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          // What is pasted may have characters that nobody sees, and that no header may have.
          const sendable = token.replace(/[^!-~]/g, '')
          if (sendable) onToken(sendable)
        }}
      >
        <label for="token">{can_sign_in ? 'Or use a GitHub token' : 'GitHub token'}</label>
        <div class="line">
          <input
            id="token"
            type="password"
            autocomplete="off"
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
          <button type="submit">Use token</button>
        </div>
      </form>
      <details>
        <summary>Which token, and why this is safe</summary>
        <ul class="bullets">
          <li>
            <code>gh auth token</code> prints one that works. Or{' '}
            <ExternalLink
              url={`${github_url}/settings/personal-access-tokens/new`}
              text="create a fine-grained token"
            />{' '}
            for your repositories with <em>Metadata: read-only</em>. To archive work or post notables from
            this page, it also needs <em>Contents: read and write</em>. A classic token needs the scope{' '}
            <code>repo</code>, or none for public repositories.
          </li>
          <li>It is kept in the open tabs of this page only, and is gone when you close them.</li>
          <li>The service uses it to ask GitHub what you may see. It never stores or logs it.</li>
        </ul>
      </details>
      {!can_sign_in && (
        <p class="hint">
          For administrators: to let people sign in without a token, set <code>PUBLIC_URL</code>,{' '}
          <code>GITHUB_CLIENT_ID</code> and <code>GITHUB_CLIENT_SECRET</code> of your GitHub App, with{' '}
          <code>PUBLIC_URL/session/callback</code> as its callback URL, and restart the service.
        </p>
      )}
    </section>
  )
}

/** What tabs of this page tell each other, so that one sign-in serves all. A tab that opens asks for the token of the others. */
type Word = { token: string } | 'asks' | 'signed in' | 'signed out'

const tabs = openChannel()

/** Null where the browser blocks site data. */
function openChannel(): BroadcastChannel | null {
  try {
    return new BroadcastChannel('deconflict-session')
  } catch {
    return null
  }
}

function tellTabs(word: Word): void {
  tabs?.postMessage(word)
}

const RETRY_MIN_MS = 1000
const RETRY_MAX_MS = 30_000

/** `state` is null until the service has answered. */
export function useSession() {
  const [state, setState] = useState<SessionState | null>(null)
  const [problem, setProblem] = useState(
    Object.entries(SIGN_IN_PROBLEMS).find(([name]) => location.search === `?problem=${name}`)?.[1] ?? '',
  )
  const [hasToken, setHasToken] = useState(tabToken.read() !== null)
  /** How often somebody signed in, in any tab: the login is read again for each. */
  const [signIns, setSignIns] = useState(0)
  const isSignedIn = hasToken || state?.is_signed_in === true

  useEffect(() => {
    const leaving = new AbortController()
    const onState = (read: SessionState) => {
      setState(read)
      if (read.is_signed_in) setProblem('')
    }
    void readSession({ onState, onProblem: setProblem }, leaving.signal)
    return () => leaving.abort()
  }, [signIns])
  useEffect(() => {
    if (state?.is_signed_in) tellTabs('signed in')
  }, [state?.is_signed_in])

  const leave = useCallback(() => {
    tabToken.store(null)
    setState((before) => before && { ...before, is_signed_in: false, login: null })
    setHasToken(false)
  }, [])
  const signOut = () =>
    session.end().then(
      () => {
        tellTabs('signed out')
        setProblem('')
        leave()
      },
      (error) => setProblem(`You are still signed in. ${problemOf(error).message}`),
    )
  useEffect(() => {
    if (!isSignedIn) return
    const end = () => {
      setProblem(SIGN_IN_PROBLEMS.ended as string)
      leave()
      void session.end().catch(() => {})
    }
    // Several requests may fail at the same time.
    addEventListener(UNAUTHORIZED, end, { once: true })
    return () => removeEventListener(UNAUTHORIZED, end)
  }, [isSignedIn, leave])

  const readAgain = () => setSignIns((before) => before + 1)
  const keepToken = (token: string) => {
    tabToken.store(token)
    setProblem('')
    setHasToken(true)
    readAgain()
  }
  useTabs({ leave, keepToken, readAgain })
  const useToken = (token: string) => {
    keepToken(token)
    tellTabs({ token })
  }
  return { state, problem, hasToken, isSignedIn, signOut, useToken }
}

/** Follows a sign-in and a sign-out in another tab. */
function useTabs(given: { leave(): void; keepToken(token: string): void; readAgain(): void }): void {
  useEffect(() => {
    const hear = ({ data: word }: MessageEvent<Word>) => {
      const token = tabToken.read()
      if (word === 'signed out') given.leave()
      else if (word === 'signed in') given.readAgain()
      else if (word !== 'asks') given.keepToken(word.token)
      else if (token !== null) tellTabs({ token })
    }
    tabs?.addEventListener('message', hear)
    if (tabToken.read() === null) tellTabs('asks')
    return () => tabs?.removeEventListener('message', hear)
  }, [])
}

/** The service may be restarting while the page is opened. */
async function readSession(
  { onState, onProblem }: { onState(state: SessionState): void; onProblem(text: string): void },
  signal: AbortSignal,
): Promise<void> {
  let hasFailed = false
  for (let wait_ms = RETRY_MIN_MS; !signal.aborted; wait_ms = Math.min(2 * wait_ms, RETRY_MAX_MS)) {
    try {
      const state = await session.read(signal)
      if (hasFailed) onProblem('')
      return onState(state)
    } catch (error) {
      if (signal.aborted) return
      const { message, retry_after_ms } = problemOf(error)
      hasFailed = true
      onProblem(`${message} The page keeps trying.`)
      await new Promise((resolve) => setTimeout(resolve, Math.max(wait_ms, retry_after_ms)))
    }
  }
}
