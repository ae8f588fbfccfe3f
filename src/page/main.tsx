/** Renders the page. */
import { render } from 'preact'
import { App } from './app.tsx'

const root = document.getElementById('page')
if (root) render(<App />, root)
