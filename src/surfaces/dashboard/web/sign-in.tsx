/** Signing in: through GitHub where the service has an OAuth client, and with a token that stays in this tab. */
import { useState } from 'preact/hooks'

/** What went wrong, by the `problem` in the address that GitHub's sign-in returns to. */
export const SIGN_IN_PROBLEMS: Record<string, string> = {
  state: 'The sign-in was started in another browser or took too long. Try again.',
  code: 'GitHub did not accept the sign-in. Try again.',
}

export function SignIn({ canSignIn, onToken }: { canSignIn: boolean; onToken: (token: string) => void }) {
  const [token, setToken] = useState('')
  const return_to = encodeURIComponent(`/${location.hash}`)
  return (
    <section class="card welcome">
      <h1>See who works on what, before the merge</h1>
      <p>You see the repositories that you can see on GitHub.</p>
      {canSignIn && (
        <p>
          <a class="button" href={`/session/login?return_to=${return_to}`}>
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
          <button type="submit">Use token</button>
        </div>
        <p class="hint">
          <code>gh auth token</code> prints one. It is kept in this tab only, until you close it.
        </p>
      </form>
    </section>
  )
}
