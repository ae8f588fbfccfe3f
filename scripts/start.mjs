/** `npm start`: builds if something changed since the last build, and starts the service. */
import { execSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'

const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
const builtAt = Math.min(timeOf('dist/main.js'), timeOf('dist/web/index.html'))
const sources = readdirSync('src', { recursive: true }).map((name) => `src/${name}`)
if (['package-lock.json', ...sources].some((path) => timeOf(path) > builtAt))
  execSync('npm run --silent build:fast', { stdio: 'inherit' })
await import('../dist/main.js')
