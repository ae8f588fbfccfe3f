/** Renders the page. */
import { render } from 'preact'
import { App } from './page.tsx'

const root = document.getElementById('page')
if (root) render(<App />, root)
