/** How people use the page in a real browser: addresses, the keyboard, their own work, filters, and a phone. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { BROWSER, faultsOn } from '../support/browser.ts'
import { editOf } from '../support/lines.ts'
import { type PageRepository, useTabs } from '../support/page-fixture.ts'

const BASE = Array.from({ length: 200 }, (_, at) => `pay(${at})`)

let repo: PageRepository
let page: Page

describe.skipIf(BROWSER === undefined)('in Chromium, the page', () => {
  const fixture = useTabs((tab, repository) => {
    page = tab
    repo = repository
  })

  const change = (path: string, at: number, lines: number, by: string) => {
    const added = Array.from({ length: lines }, (_, line) => `${by}(${line})`)
    return { path, patch: editOf(BASE, at, lines, added) }
  }
  /** Ada's and Ben's changes overlap in `src/retry.ts`; Cy works on a folder of it, Dee somewhere else. */
  const declareTeam = async () => ({
    ben: await repo.createActivity({
      title: 'Tidy retries',
      actor: 'Ben',
      branch: 'tidy',
      scope: { changes: [change('src/retry.ts', 40, 12, 'ben')] },
    }),
    ada: await repo.createActivity({
      title: 'Retry twice',
      actor: 'Ada',
      branch: 'retry',
      agent: 'claude-code',
      scope: { areas: ['checkout'], changes: [change('src/retry.ts', 48, 6, 'ada')] },
    }),
    cy: await repo.createActivity({
      title: 'Rename all',
      actor: 'Cy',
      branch: 'cy',
      scope: { paths: ['src/**'] },
    }),
    dee: await repo.createActivity({
      title: 'Write docs',
      actor: 'Dee',
      branch: 'docs',
      scope: { paths: ['docs/a.md'] },
    }),
  })
  const headline = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
  const compared = () => headline('1 pair will conflict, 2 may overlap.')
  const openTeam = async () => {
    const ids = await declareTeam()
    await fixture.open(page, repo)
    await compared()
    return ids
  }
  const cards = () => page.locator('.overlap')
  const hashOf = () => page.evaluate('location.hash') as Promise<string>
  const focused = () => page.evaluate('document.activeElement.textContent') as Promise<string>

  test('shows who has to talk to whom, the own side first, and a message to copy', async () => {
    await openTeam()
    const card = page.getByRole('region', { name: 'Needs somebody' }).locator('.overlap').first()
    expect(await card.locator('.side-name').allTextContents()).toEqual(['Ada', 'Ben', 'Cy'])
    await card.getByText('tidy began first: agree with Ben on who changes what.').waitFor()
    await card.getByText('48–53 and 40–51').waitFor()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await card.getByRole('button', { name: 'Copy a message' }).first().click()
    await card.getByRole('button', { name: 'Copied' }).waitFor()
    // The address of this page is one of this machine, which Ben cannot open.
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
      /^Hi Ben, my “Retry twice” .* overlap in src\/retry\.ts \(lines 48–53 and 40–51\)\..*work\?$/,
    )
    await card.getByRole('button', { name: 'Tidy retries' }).click()
    const detail = page.getByRole('dialog')
    await detail.getByRole('heading', { name: 'Overlaps with' }).waitFor()
    await detail.getByText('48–53 and 40–51').waitFor()
    await detail.getByRole('button', { name: 'Retry twice' }).first().click()
    await page.getByRole('dialog', { name: 'Retry twice' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
  })

  test('limits everything by person, consequence and folder, with an address for each', async () => {
    await openTeam()
    expect(await cards().count()).toBe(2)
    await page.getByLabel('Person').selectOption('Dee')
    await headline('No pair that is shown needs anybody.')
    expect(await hashOf()).toBe(`#/${repo.name}?person=dee`)
    expect(await page.locator('.work-row').count()).toBe(1)
    await page.getByLabel('Person').selectOption('everyone')
    await page.getByLabel('Consequence').selectOption('conflict')
    await headline('1 pair will conflict.')
    expect(await hashOf()).toBe(`#/${repo.name}?only=conflict`)
    await page.getByLabel('Consequence').selectOption('same work')
    await headline('No pair that is shown needs anybody.')
    for (const _ of 'ab') await page.goBack()
    await page.getByRole('button', { name: 'mine' }).click()
    await headline('1 pair will conflict, 1 may overlap.')
    expect(await hashOf()).toBe(`#/${repo.name}?mine=only`)
    await page.getByRole('button', { name: 'src/', exact: true }).click()
    expect(await hashOf()).toBe(`#/${repo.name}?path=src/&mine=only`)
    await page.getByRole('button', { name: 'Remove the filter: path src/' }).click()
    expect(await hashOf()).toBe(`#/${repo.name}?mine=only`)
  })

  test('says of which activities a filter by path knows only a part', async () => {
    const changes = Array.from({ length: 25 }, (_, at) => change(`src/a${at}.ts`, 40, 1, 'ben'))
    await repo.createActivity({ title: 'Rename all', scope: { changes } })
    await fixture.open(page, repo)
    await page.goto(`${fixture.url}/#/${repo.name}?path=src/a24.ts`)
    await page.getByText('1 activity has more paths than the 20 that are searched.').waitFor()
    await page.goto(`${fixture.url}/#/${repo.name}?path=src/a1.ts`)
    await page.locator('.work-row', { hasText: 'Rename all' }).waitFor()
    expect(await page.getByText('that are searched').count()).toBe(0)
  })

  test('says what is hidden, and shows it on request', async () => {
    const { github_url } = (await (await fetch(`${fixture.url}/session`)).json()) as { github_url: string }
    for (const number of [1, 2])
      await repo.createActivity({
        ...{ title: `Work ${number}`, branch: `b${number}`, actor: ['Ada', 'Ben'][number - 1] },
        ...{ pr_url: `${github_url}/${repo.name}/pull/${number}`, draft_pr: number === 2 },
        scope: { paths: ['src/a.ts'] },
      })
    await fixture.open(page, repo)
    await headline('1 pair may overlap.')
    await page.getByRole('button', { name: 'drafts 1' }).click()
    await headline('No pair that is shown needs anybody.')
    await page.getByText('1 pair is hidden, of drafts.').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await headline('1 pair may overlap.')
  })

  test('tells those who may write what is wrong in the settings, why nothing is posted, and how far an import is', async () => {
    const errors = [{ line: 3, key: 'areas', message: 'areas: must be an object' }]
    const importing = { done: 120, left: 280 }
    const { body: settings } = await repo.request('GET', '/settings')
    const out = { sources: { 'comment.mode': 'organisation' }, is_left_out: true }
    const shadow = { ...out, comment: { ...settings.comment, mode: 'shadow' } }
    const json = { ...settings, ...shadow, errors, importing }
    await page.route('**/settings', (route) => route.fulfill({ json }))
    await fixture.open(page, repo)
    await page.getByText('Not rolled out to this repository by the settings of the organisation').waitFor()
    await page.getByText('line 3, areas: must be an object').waitFor()
    await page.getByText('Importing pull requests: 120 of 400 …').waitFor()
    await page.getByText(`The pull requests are being read in ${repo.name}.`).waitFor()
  })

  test('has an address for each record and each filter, for colleagues and for back and forward', async () => {
    const ids = await openTeam()
    await page.locator('.work-row').getByRole('button', { name: 'Write docs' }).click()
    await page.getByRole('dialog').getByText('docs/a.md').waitFor()
    expect(await hashOf()).toBe(`#/${repo.name}?record=${ids.dee}`)
    await page.goBack()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await page.goForward()
    await page.getByRole('dialog').getByText('docs/a.md').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(hashOf).toBe(`#/${repo.name}`)

    await page.goto(`${fixture.url}/#/${repo.name}?record=act_none`)
    await page.getByRole('dialog', { name: 'Not available' }).getByText('does not exist').waitFor()
    await page.goto(`${fixture.url}/#/${repo.name}?q=docs&record=${ids.ada}`)
    await page.getByRole('dialog').getByRole('heading', { name: 'Retry twice' }).waitFor()
    expect(await page.getByRole('searchbox', { includeHidden: true }).inputValue()).toBe('docs')
    expect(await page.locator('.work-row').count()).toBe(1)
    await page.keyboard.press('Escape')
  })

  test('is used with the keyboard: j and k move, Enter opens, ? lists the keys', async () => {
    await openTeam()
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('list the keys').waitFor()
    expect(await faultsOn(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await page.locator('.work-row').getByRole('button', { name: 'Write docs' }).focus()
    await page.keyboard.press('k')
    expect(await focused()).not.toContain('Write docs')
    await page.keyboard.press('j')
    expect(await focused()).toContain('Write docs')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('docs/a.md').waitFor()
  })

  test('ignores keys of one character that the user switched off, also after a reload', async () => {
    await openTeam()
    await page.getByRole('button', { name: 'Keys' }).click()
    await page.getByRole('dialog').getByLabel('Use keys of one character').uncheck()
    await page.keyboard.press('Escape')
    await page.reload()
    await compared()
    for (const key of ['j', 'k', '?']) await page.keyboard.press(key)
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await hashOf()).toBe(`#/${repo.name}`)
  })

  test('shows a whole card above the fold of a phone, within its width, with large targets', async () => {
    await declareTeam()
    const branch = 'a_branch_whose_name_is_one_word_that_is_longer_than_the_screen_of_a_phone_is_wide'
    await repo.createActivity({ title: 'Retry', actor: 'Eve', branch, scope: { paths: ['src/retry.ts'] } })
    await page.setViewportSize({ width: 390, height: 844 })
    await fixture.open(page, repo)
    await cards().first().waitFor()
    const top = (await cards().first().boundingBox())?.y ?? Number.POSITIVE_INFINITY
    expect(top).toBeLessThan(844 - 140)
    expect(await page.getByText('Keys').isVisible()).toBe(false)
    await page.goto(`${fixture.url}/#/${repo.name}?only=conflict&person=ben`)
    await headline('1 pair will conflict.')
    expect((await cards().first().boundingBox())?.height).toBeLessThanOrEqual(140)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    const small = await page
      .locator(
        'button:visible:not(.link, .skip), select:visible, input:visible:not([type=checkbox]), a.button:visible, summary:visible',
      )
      .evaluateAll((targets) =>
        targets.filter((each) => each.getBoundingClientRect().height < 44).map((each) => each.textContent),
      )
    expect(small).toEqual([])
  })

  test.each(['light', 'dark'] as const)(
    'has no fault of access in any view, wide or narrow, %s',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme })
      const { ada } = await openTeam()
      for (const width of [1360, 390]) {
        await page.setViewportSize({ width, height: 844 })
        for (const query of ['', '?view=notables', '?view=signal', `?record=${ada}`]) {
          await page.goto(`${fixture.url}/#/${repo.name}${query}`)
          await page.waitForLoadState('networkidle')
          expect(await faultsOn(page)).toEqual([])
        }
      }
    },
  )

  test('explains which token it needs, and why that is safe', async () => {
    await page.goto(`${fixture.url}/#/${repo.name}`)
    await page.getByText('Which token, and why this is safe').click()
    await page.getByText('Metadata: read-only').waitFor()
    await page.getByText('It never stores or logs it.').waitFor()
    expect(await faultsOn(page)).toEqual([])
  })
})
