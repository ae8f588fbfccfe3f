/**
 * `/setup`: creates the GitHub App from its manifest, as GitHub documents it ("Registering a GitHub App from a manifest").
 * A one-time code opens it, until there is an App (docs/install.md).
 */

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Octokit } from '@octokit/rest'
import type { Request, RequestHandler, Response } from 'express'
import { parse } from 'yaml'
import { z } from 'zod'
import { Failure, unavailable } from '../../../vocabulary/failure.ts'
import { isLoopback } from '../../../vocabulary/network.ts'
import { ROOT } from '../../../vocabulary/root.ts'
import {
  announceCreatedApp,
  type CreatedApp,
  convertManifest,
  saveCreatedApp,
  storageOf,
  storageProblem,
} from '../../github/setup/created-app.ts'
import { type CodeRow, findCode, storeCode, takeCode } from '../../github/setup/store.ts'
import type { Caller } from '../../operations/admission.ts'
import { databaseUnavailable, faultOf } from '../../platform/db/errors.ts'
import type { App } from '../../records/repositories/app.ts'
import { type Cookies, cookies } from './cookies.ts'
import { messagePage, sendPage, setupPage } from './setup-page.ts'
import { isSame } from './sign-in.ts'

const COOKIE = 'deconflict_setup'
/** An hour, like GitHub's code. */
const COOKIE_TTL_S = 3600
/** GitHub's rule for the names of accounts. */
const ORGANIZATION = /^[a-z\d](?:[a-z\d]|-(?=[a-z\d])){0,38}$/i

export interface SetupOptions {
  app: App
  /** A client without a token. */
  github: Octokit
  /** Uses the created App from now on, on this instance. */
  useCreatedApp(created: CreatedApp): Promise<void>
}

/** The handlers of `GET /setup` and `GET /setup/created`. */
export function setup(options: SetupOptions) {
  const { app } = options
  return {
    show: withPages(app, async (req, res, { public_url, jar }) => {
      const code = textOf(req.query.code)
      await requireCode(res, () => findCode(app, code))
      const problem = await storageProblem(app.config)
      if (problem) throw unavailable(problem)
      const entered = textOf(req.query.organization).trim()
      const isValid = entered === '' || ORGANIZATION.test(entered)
      const organization = isValid && entered !== '' ? entered : null
      const is_read_only = textOf(req.query.read_only) === 'on'
      const file = readAppFile(is_read_only)
      const state = randomBytes(16).toString('base64url')
      jar.write(res, COOKIE, `${state}.${code}`, COOKIE_TTL_S)
      const html = setupPage({
        code,
        organization,
        problem: isValid ? null : 'This is not the name of an account on GitHub.',
        action: actionOf(app, organization, state),
        manifest: manifestOf(file, { ...app.config, public_url }, organization),
        permissions: file.default_permissions,
        is_read_only,
        storage: storageText(app),
        notes: describeLimits(app, public_url),
      })
      const { origin } = new URL(app.config.github_web_url)
      sendPage(res, { status: 200, html, form_targets: ["'self'", origin] })
    }),
    complete: withPages(app, async (req, res, { jar }) => {
      const [state = '', code = ''] = (jar.read(req, COOKIE) ?? '').split('.')
      if (state === '' || !isSame(textOf(req.query.state), state))
        throw new Failure(
          'forbidden',
          'The set-up was started in another browser, or more than an hour ago. Open the address from the log again.',
        )
      const used = await requireCode(res, () => takeCode(app, code))
      const { created, html_url } = await convert(options, used, textOf(req.query.code))
      await store(app, created, html_url)
      jar.clear(res, COOKIE)
      await announceCreatedApp(app)
      await options.useCreatedApp(created)
      app.log.info({ app_id: created.id }, 'github app created')
      res.redirect(303, `${html_url}/installations/new`)
    }),
  }
}

type Handler = (req: Request, res: Response, open: { public_url: string; jar: Cookies }) => Promise<void>

/** Shows failures as pages. Nothing can be set up without `PUBLIC_URL`, or when there is an App. */
function withPages(app: App, handler: Handler): RequestHandler {
  return async (req, res, next) => {
    const { public_url } = app.config
    try {
      if (app.github_app)
        throw new Failure('not_found', 'The GitHub App is configured. Its settings are on GitHub.')
      if (!public_url)
        throw unavailable(
          'Set PUBLIC_URL to the address at which people and GitHub reach this service, such as https://deconflict.example.com, and restart the service. The log then shows the address of this page with its code.',
        )
      await handler(req, res, { public_url, jar: cookies(public_url) })
    } catch (error) {
      const failure = error instanceof Failure ? error : databaseUnavailable(error)
      if (!failure) return next(error)
      if (failure.cause !== undefined) app.log.error(faultOf(failure.cause), 'set-up failed')
      res.locals.error_type = failure.type
      res.set(failure.headers)
      const html = messagePage('GitHub App', failure.message)
      sendPage(res, { status: failure.status, html, form_targets: [] })
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The code that `find` finds. An invalid code counts as a failed token of the client's address. Throws `forbidden`, `rate_limited`. */
async function requireCode<Found>(res: Response, find: () => Promise<Found | undefined>): Promise<Found> {
  const caller: Caller = res.locals.caller
  const wrong = new Failure('unauthorized', 'This code is not valid')
  try {
    return await caller.tryCredential(async () => {
      const found = await find()
      if (found === undefined) throw wrong
      return found
    })
  } catch (error) {
    if (error !== wrong) throw error
    throw new Failure(
      'forbidden',
      'This address has no valid code: it is mistyped, used up, or older than a day. The service logs the address with a code when it starts.',
    )
  }
}

/** Uses the code up and exchanges GitHub’s. If that fails, the code is valid again. */
async function convert(
  { app, github }: SetupOptions,
  code: CodeRow,
  manifest_code: string,
): Promise<{ created: CreatedApp; html_url: string }> {
  try {
    return await convertManifest(github, manifest_code)
  } catch (error) {
    await storeCode(app, code)
    throw error
  }
}

/** Stores the credentials. If that fails, they are lost, and the user has to delete the App. */
async function store(app: App, created: CreatedApp, html_url: string): Promise<void> {
  const deleted = `Delete the new App on GitHub (${html_url})`
  const isStored = await saveCreatedApp(app, created).catch((error: unknown) => {
    throw new Failure(
      'internal_error',
      `The credentials of the App could not be stored. ${deleted}, restart the service, and open the address that it logs.`,
      { cause: error },
    )
  })
  if (!isStored)
    throw new Failure('forbidden', `Another App was created in the meantime and is in use. ${deleted}.`)
}

/** Where GitHub takes the manifest of a new App. */
function actionOf({ config }: App, organization: string | null, state: string): string {
  const owner = organization === null ? '' : `/organizations/${organization}`
  const url = new URL(`${config.github_web_url}${owner}/settings/apps/new`)
  url.searchParams.set('state', state)
  return url.href
}

function storageText({ config }: App): string {
  const storage = storageOf(config)
  return storage.kind === 'database'
    ? 'Its credentials will be stored in the database, encrypted with SECRETS_KEY.'
    : `Its credentials will be stored in ${storage.path}, which only the user of the service can read.`
}

function describeLimits({ config }: App, public_url: string): string[] {
  const notes: string[] = []
  if (config.database_url && !config.secrets_key)
    notes.push(
      'SECRETS_KEY is not set, so only this instance will use the App. To share the App with other instances, first set SECRETS_KEY on all of them to the same 32 bytes in base64 (openssl rand -base64 32), and restart them.',
    )
  if (
    isLoopback(new URL(public_url).hostname) &&
    !isLoopback(new URL(config.github_web_url).hostname) &&
    !config.webhook_proxy_url
  )
    notes.push(
      'PUBLIC_URL is an address of this machine, to which GitHub sends no webhooks. First open https://smee.io/new, set WEBHOOK_PROXY_URL to the address that it shows, and restart the service.',
    )
  return notes
}

/** GitHub's limit. */
const NAME_MAX = 34

const AppFile = z.strictObject({
  name: z.string(),
  description: z.string(),
  url: z.url(),
  public: z.boolean(),
  callback_urls: z.array(z.url()),
  hook_attributes: z.strictObject({ url: z.url(), active: z.boolean() }),
  default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
  default_events: z.array(z.string()),
})

export type AppFile = z.infer<typeof AppFile>

/** `is_read_only`: the App that may write nothing. */
export function readAppFile(is_read_only = false): AppFile {
  const name = is_read_only ? 'app.readonly.yml' : 'app.yml'
  return AppFile.parse(parse(readFileSync(new URL(name, ROOT), 'utf8')))
}

/** `organization`: the future owner; null for the user who creates the App. */
export function manifestOf(
  file: AppFile,
  { public_url, webhook_proxy_url }: { public_url: string; webhook_proxy_url: string | null },
  organization: string | null,
): object {
  return {
    ...file,
    // Names of Apps are unique on GitHub, so the owner is added. The user can change the name on GitHub.
    name: `${file.name} ${organization ?? new URL(public_url).hostname}`.slice(0, NAME_MAX),
    url: public_url,
    hook_attributes: {
      ...file.hook_attributes,
      url: webhook_proxy_url ?? `${public_url}/api/github/webhooks`,
    },
    redirect_url: `${public_url}/setup/created`,
    callback_urls: file.callback_urls.map((url) => url.replace(file.url, public_url)),
    setup_url: public_url,
  }
}
