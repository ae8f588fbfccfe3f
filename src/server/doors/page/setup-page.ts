/** The pages of `/setup`: HTML without scripts. */
import { hash } from 'node:crypto'
import type { Response } from 'express'

const STYLE = `
:root { color-scheme: light dark; font: 16px / 1.5 system-ui, sans-serif; background: light-dark(#fff, #0e1116); color: light-dark(#1c2430, #e2e8f0); }
body { margin: 0; }
main { max-width: 40rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 1rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
a { color: light-dark(#1059c9, #6cb0ff); }
code { font: 0.86em ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 1rem 0.25rem 0; }
th { font-weight: 600; }
.note { border-left: 3px solid light-dark(#9a6700, #d29922); padding-left: 0.8rem; }
.line { display: flex; gap: 0.5rem; flex-wrap: wrap; }
input { font: inherit; color: inherit; background: light-dark(#fff, #0e1116); border: 1px solid light-dark(#8b95a3, #566173); border-radius: 6px; padding: 0.4rem 0.6rem; min-width: 14rem; }
button { font: inherit; cursor: pointer; color: inherit; background: light-dark(#f2f4f7, #1a212a); border: 1px solid light-dark(#8b95a3, #566173); border-radius: 6px; padding: 0.4rem 0.9rem; }
button.main { background: #1059c9; border-color: #1059c9; color: #fff; }
:focus-visible { outline: 2px solid light-dark(#1059c9, #6cb0ff); outline-offset: 2px; }
`
const STYLE_HASH = hash('sha256', STYLE, 'base64')

/** The content of the page `/setup`, as plain text that is escaped here. */
export interface SetupForm {
  code: string
  /** The chosen owner; null: the account of whoever creates the App. */
  organization: string | null
  /** What is wrong with the organization that was entered. */
  problem: string | null
  /** Where GitHub takes the manifest. */
  action: string
  manifest: object
  permissions: Record<string, string>
  /** The App that may write nothing was chosen. */
  is_read_only: boolean
  /** Where the credentials will be stored. */
  storage: string
  notes: string[]
}

/** What an App cannot do without the permission. */
const FOR: Record<string, string> = {
  metadata: 'to list repositories',
  contents: 'to read the settings files, and to receive pushes and the deletion of branches',
  pull_requests: 'to read pull requests and their files, and, with write access, to comment on them',
  checks: 'for the check run, where the settings enable it, and to report errors in the settings file',
  issues: 'to receive /deconflict mute',
  members: 'to hear at once that somebody lost access, instead of within a minute',
}

export function setupPage(form: SetupForm): string {
  const { organization, problem, action, manifest } = form
  const owner = organization === null ? 'your own account' : `the organization ${organization}`
  return page(
    'Create the GitHub App',
    `<p>Deconflict reads pull requests and comments on them as a GitHub App. GitHub creates the App from the settings below. You need to be signed in to GitHub.</p>
${form.notes.map((note) => `<p class="note">${escaped(note)}</p>`).join('\n')}
<h2>1. Who owns the App?</h2>
<form method="get" action="/setup">
<input type="hidden" name="code" value="${escaped(form.code)}">
<label for="organization">Organization (leave empty for your own account)</label>
<div class="line">
<input id="organization" name="organization" value="${escaped(organization ?? '')}" autocomplete="off" spellcheck="false"${problem ? ' aria-invalid="true" aria-describedby="problem"' : ''}>
<button type="submit">Use this owner</button>
<button type="submit" name="read_only" value="on">Read-only App for this owner</button>
</div>
<p>A read-only App finds overlaps. It writes no comments and no check runs, and reads no settings files.</p>
${problem ? `<p id="problem" class="note" role="alert">${escaped(problem)}</p>` : ''}
</form>
<h2>2. Create the App</h2>
<p>GitHub shows the name of the App, which you can change, and asks you to confirm.</p>
<form method="post" action="${escaped(action)}">
<input type="hidden" name="manifest" value="${escaped(JSON.stringify(manifest))}">
<button type="submit" class="main">Create the ${form.is_read_only ? 'read-only App' : 'App'} for ${escaped(owner)}</button>
</form>
<h2>Permissions of the App</h2>
<table>
${Object.entries(form.permissions)
  .map(
    ([name, level]) =>
      `<tr><th scope="row">${escaped(name.replaceAll('_', ' '))}</th><td>${escaped(level)}</td><td>${escaped(FOR[name] ?? '')}</td></tr>`,
  )
  .join('\n')}
</table>
<p>${escaped(form.storage)}</p>`,
  )
}

/** A page with one message. */
export function messagePage(title: string, text: string): string {
  return page(title, `<p>${escaped(text)}</p>\n<p><a href="/">Go to the page</a></p>`)
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Deconflict: ${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${content}
</main>
</body>
</html>
`
}

/** A Content-Security-Policy that allows nothing else, and no framing. */
export function contentPolicy(...allowed: string[]): string {
  return ["default-src 'none'", ...allowed, "base-uri 'none'", "frame-ancestors 'none'"].join('; ')
}

/** Sends a page whose forms may be sent to `form_targets`. */
export function sendPage(
  res: Response,
  { status, html, form_targets }: { status: number; html: string; form_targets: string[] },
): void {
  const forms = `form-action ${form_targets.join(' ') || "'none'"}`
  res.setHeader(
    'Content-Security-Policy',
    contentPolicy(`style-src 'sha256-${STYLE_HASH}'`, 'img-src data:', forms),
  )
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  // GitHub sees which site sent the form, but not the code in its address.
  res.setHeader('Referrer-Policy', 'strict-origin')
  res.status(status).type('html').send(html)
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
