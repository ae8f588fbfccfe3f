/** The style sheet of `/docs`, for light and dark mode, narrow screens and print. */
export const STYLE = `:root {
  color-scheme: light dark;
  --back: light-dark(#ffffff, #0e1116);
  --card: light-dark(#f2f4f7, #1a212a);
  --line: light-dark(#d9dee5, #2b323c);
  --text: light-dark(#1c2430, #e2e8f0);
  --soft: light-dark(#566173, #9aa6b6);
  --accent: light-dark(#1059c9, #6cb0ff);
  font: 15px / 1.5 system-ui, sans-serif;
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 0.5rem; top: 0.5rem; z-index: 1; padding: 0.5rem; background: var(--back); }
nav { padding: 1rem; border-bottom: 1px solid var(--line); font-size: 0.9rem; }
nav ul { list-style: none; margin: 0; padding: 0; columns: 12rem; }
nav li { padding: 0.1rem 0; overflow-wrap: anywhere; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav .depth-2 { margin-top: 0.5rem; font-weight: 600; }
main { max-width: 60rem; padding: 1rem; outline: none; }
h1 { font-size: 1.6rem; margin: 0 0 1rem; }
h2 { font-size: 1.3rem; margin: 3rem 0 1rem; padding-bottom: 0.3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 2.5rem 0 0.5rem; }
h1, h2, h3 { scroll-margin-top: 1rem; }
code, pre { font: 0.86em / 1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
:not(pre) > code { background: var(--card); border-radius: 4px; padding: 0.1em 0.3em; }
pre { white-space: pre-wrap; background: var(--card); border: 1px solid var(--line); border-radius: 7px; padding: 0.7rem; }
pre code { font-size: 1em; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.7rem 0.35rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
td:first-child code { overflow-wrap: normal; }
@media (min-width: 62rem) {
  body { display: grid; grid-template-columns: 16rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border-bottom: 0; border-right: 1px solid var(--line); }
  nav ul { columns: 1; }
  main { padding: 1.5rem 2.5rem; }
}
@media (max-width: 40rem) {
  thead { position: absolute; left: -100vw; }
  table, tbody, tr, td { display: block; }
  tr { padding: 0.4rem 0; border-bottom: 1px solid var(--line); }
  td { padding: 0.1rem 0; border: 0; }
}
@media print {
  :root { color-scheme: light; }
  nav, .skip { display: none; }
  body { display: block; }
  main { max-width: none; padding: 0; }
  pre, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
}
`
