/** The summary that a pull request's description gives. */
import { expect, test } from 'vitest'
import { firstProse } from '../../src/engine/lines/markdown-prose.ts'

test.each<[string, string, string]>([
  ['a paragraph', 'Retries twice.\nThen gives up -\n\nCloses #3.', 'Retries twice.\nThen gives up -'],
  ['a heading', '## What\n\nRetries twice.', 'Retries twice.'],
  ['a heading without a blank line', '## What\nRetries twice.\n## Why\nIt fails.', 'Retries twice.'],
  ['an underlined heading', 'What\n====\n\nWhy\n---\n\nRetries twice.', 'Retries twice.'],
  ['a heading in bold type', '**What**\n\nRetries twice.', 'Retries twice.'],
  ['a heading in HTML', '<h2>What</h2>\n\nRetries twice.', 'Retries twice.'],
  ['a comment', '<!-- Describe\n\nyour change -->\n\nRetries twice.', 'Retries twice.'],
  ['a comment within a paragraph', 'Retries\n<!-- how often? -->\ntwice.', 'Retries\ntwice.'],
  ['a checklist', '- [x] I have read it\n- [ ] tests\n\nRetries twice.', 'Retries twice.'],
  ['a badge', '[![ci](https://x.io/b.svg)](https://x.io)\n\nRetries twice.', 'Retries twice.'],
  ['an image', '![before](a.png)\n<img src="b.png">\n\nRetries twice.', 'Retries twice.'],
  ['a rule', '---\n\nRetries twice.', 'Retries twice.'],
  ['code', '```sh\nnpm test\n```\n\nRetries twice.', 'Retries twice.'],
  ['code within a line', 'Retries `pay()` twice.', 'Retries `pay()` twice.'],
  ['a list', '- Retries twice.\n- Then gives up.', '- Retries twice.\n- Then gives up.'],
  ['nothing but a template', '## What\n\n<!-- describe -->\n\n- [ ] tests\n', ''],
  ['nothing', ' \n\n ', ''],
])('the first prose after %s', (_, text, summary) => {
  expect(firstProse(text)).toBe(summary)
})
