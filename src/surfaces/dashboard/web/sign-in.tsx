/** Signing in: with GitHub where the service is set up for it, else with a token that stays in this tab. */
import { useState } from 'preact/hooks'

/** What the way back from GitHub may say. */
export const PROBLEMS: Record<string, string> = {
  state: 'That sign-in was not begun here, or took too long. Begin again.',
  code: 'GitHub did not accept the sign-in. Begin again.',
}

export function SignIn({ canSignIn, onToken }: { canSignIn: boolean; onToken: (token: string) => void }) {
  const [token, setToken] = useState('')
  const back = encodeURIComponent(`/${location.hash}`)
  return (
    <section class="card welcome">
      <h1>See who works on what, before the merge does</h1>
      <p>GitHub decides which repositories you may see here.</p>
      {canSignIn && (
        <p>
          <a class="button" href={`/session/login?return_to=${back}`}>
            Sign in with GitHub
          </a>
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (token.trim()) onToken(token.trim())
        }}
      >
        <label for="token">{canSignIn ? 'Or use a GitHub token' : 'GitHub token'}</label>
        <div class="line">
          <input
            id="token"
            type="password"
            autocomplete="off"
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
          <button type="submit">Use it</button>
        </div>
        <p class="hint">
          <code>gh auth token</code> prints one. It stays in this tab and goes with it.
        </p>
      </form>
    </section>
  )
}
