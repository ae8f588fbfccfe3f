/** The page at /docs loads nothing from other hosts and needs no script. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/vocabulary/contract/contract.ts'
import { fakeGithub } from '../support/github.ts'
import { startTestService, type TestService } from '../support/service.ts'

const github = fakeGithub()
let service: TestService
let page: string

beforeAll(async () => {
  service = await startTestService({ token: 'ada' })
  page = await (await fetch(`${service.url}/docs`)).text()
})
afterAll(async () => {
  await service.close()
  github.close()
})

/** The visible text of a part of the page. */
const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

describe('the page loads', () => {
  // Threat: Markup in responses and in `/docs`
  test('one style sheet of this service and nothing else', async () => {
    const loaded = [...page.matchAll(/<(?:link|script|img|iframe|object|embed|source|form)\b[^>]*>/g)]
    expect(loaded.map(([tag]) => tag)).toEqual([
      '<link rel="icon" href="data:,">',
      '<link rel="stylesheet" href="/docs/style.css">',
    ])
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/)
    const sheet = await fetch(`${service.url}/docs/style.css`)
    expect(sheet.status).toBe(200)
    expect(sheet.headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect(await sheet.text()).not.toMatch(/url\(|@import/)
  })

  test('nothing outside its content security policy', async () => {
    const { headers } = await fetch(`${service.url}/docs`, { method: 'HEAD' })
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')?.split(';')).toEqual([
      "default-src 'none'",
      "style-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})

describe('the page shows', () => {
  test.each(Object.entries(OPERATIONS))('%s with its address, a command and an answer', (_, operation) => {
    const [, section = ''] = page.split(`>${operation.summary}</h3>`)
    const text = textOf(section.split('<h3')[0] as string)
    expect(text).toContain(`${operation.method} `)
    expect(text).toContain(operation.path)
    expect(text).toMatch(/^curl -s .*"\$API\/.* -H "\$AUTH"/m)
    expect(text).toContain(`Returns ${operation.status}`)
    expect(text).toMatch(/Errors: .*401 unauthorized/)
    for (const field of Object.keys(operation.input.shape)) expect(text).toContain(field)
  })

  test('unique anchors and no broken links', () => {
    const anchors = [...page.matchAll(/ id="([^"]+)"/g)].map(([, anchor]) => anchor)
    expect(new Set(anchors).size).toBe(anchors.length)
    const links = [...page.matchAll(/ href="#([^"]+)"/g)].map(([, anchor]) => anchor)
    expect(links.length).toBeGreaterThan(Object.keys(OPERATIONS).length)
    expect(links.filter((anchor) => !anchors.includes(anchor))).toEqual([])
  })

  test('commands whose body the contract accepts', () => {
    const commands = [...page.matchAll(/<code class="language-sh">(curl[^<]*)<\/code>/g)].map(([, command]) =>
      textOf(command as string),
    )
    expect(commands).toHaveLength(Object.keys(OPERATIONS).length)
    const bodies = commands.flatMap((command) => / -d '([\s\S]*)'\s*$/.exec(command)?.[1] ?? [])
    expect(bodies.length).toBeGreaterThan(4)
    for (const body of bodies) expect(JSON.parse(body.replaceAll("'\\''", "'"))).toBeTypeOf('object')
  })
})

test.each(['/docs/../package.json', '/docs/package.json', '/docs/%2e%2e%2fpackage.json'])(
  'no other file is served: %s',
  async (path) => {
    expect((await fetch(`${service.url}${path}`)).status).toBe(404)
  },
)

test('other methods are refused as everywhere', async () => {
  const response = await fetch(`${service.url}/docs`, { method: 'POST' })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('GET, HEAD')
  await response.arrayBuffer()
})
