/** The fake GitHub answers as GitHub describes its REST API, for github.com and for Enterprise Server. */
import { beforeAll, describe, expect, test } from 'vitest'
import { calledQueries, calledRoutes } from './called-routes.ts'
import {
  type Caller,
  COMMENT_ID,
  DELIVERY_ID,
  type FilledGithub,
  filledGithub,
  HEAD_SHA,
  INSTALLATION_ID,
} from './filled-github.ts'
import { SERVED_ROUTES } from './github-answers.ts'
import { describedRoute, EXCEPTIONS, githubJudge, PLATFORMS } from './github-schemas.ts'
import type { Fault } from './github-world.ts'

/** Name, request, caller, and what differs from a status of 200 and a request without a body. */
type Case = [string, string, Caller, { status?: number; body?: object; headers?: Record<string, string> }?]

const SHOP = '/repos/acme/shop'
const TOKENS = `POST /app/installations/${INSTALLATION_ID}/access_tokens`
const EDIT = `PATCH ${SHOP}/issues/comments`
const ANNOTATION = { path: 'a.ts', start_line: 1, end_line: 2, annotation_level: 'notice', message: 'Both' }
const HI = { body: 'Hi' }

const CASES: Case[] = [
  ['the user of a token', 'GET /user', 'alice'],
  ['the repositories of a user', 'GET /user/repos?per_page=100', 'alice'],
  ['a private repository', `GET ${SHOP}`, 'alice'],
  ['a public repository', 'GET /repos/acme/docs', 'alice'],
  ['an archived repository', 'GET /repos/acme/old', 'alice'],
  ['a repository for an installation', `GET ${SHOP}`, 'installation'],
  ['a repository by a former name', 'GET /repos/acme/store', 'alice', { status: 301 }],
  ['an unknown repository', 'GET /repos/acme/none', 'alice', { status: 404 }],
  ['an installation', `GET /app/installations/${INSTALLATION_ID}`, 'app'],
  ['a suspended installation', 'GET /app/installations/502', 'app'],
  ['an unknown installation', 'GET /app/installations/9', 'app', { status: 404 }],
  ['the permission of a person', `GET ${SHOP}/collaborators/alice/permission`, 'installation'],
  ['the installation of a repository', `GET ${SHOP}/installation`, 'app'],
  ['the installation of another repository', 'GET /repos/globex/site/installation', 'app', { status: 404 }],
  ['the repositories of an installation', 'GET /installation/repositories', 'installation'],
  ['a token of an installation', TOKENS, 'app', { status: 201 }],
  ['the deliveries', 'GET /app/hook/deliveries', 'app'],
  ['the first delivery', 'GET /app/hook/deliveries?per_page=1', 'app'],
  ['a redelivery', `POST /app/hook/deliveries/${DELIVERY_ID}/attempts`, 'app', { status: 202 }],
  ['the App of a manifest', 'POST /app-manifests/a-code/conversions', 'nobody', { status: 201 }],
  ['an unknown manifest', 'POST /app-manifests/no-code/conversions', 'nobody', { status: 404 }],

  ['the open pull requests', `GET ${SHOP}/pulls`, 'installation'],
  ['all pull requests', `GET ${SHOP}/pulls?state=all&sort=updated&direction=desc`, 'installation'],
  ['the pull requests of a branch', `GET ${SHOP}/pulls?head=acme:feature-1`, 'installation'],
  ['an open pull request', `GET ${SHOP}/pulls/1`, 'installation'],
  ['a draft', `GET ${SHOP}/pulls/2`, 'installation'],
  ['a merged pull request', `GET ${SHOP}/pulls/3`, 'installation'],
  ['a closed pull request', `GET ${SHOP}/pulls/4`, 'installation'],
  ['a pull request of a fork', `GET ${SHOP}/pulls/5`, 'installation'],
  ['a pull request of a fork that was deleted', `GET ${SHOP}/pulls/6`, 'installation'],
  ['a pull request of a bot', `GET ${SHOP}/pulls/7`, 'installation'],
  ['an unknown pull request', `GET ${SHOP}/pulls/99`, 'installation', { status: 404 }],
  ['the files of a pull request, one of each status', `GET ${SHOP}/pulls/1/files`, 'installation'],
  ['no files', `GET ${SHOP}/pulls/2/files`, 'installation'],
  ['a branch', `GET ${SHOP}/branches/feature-1`, 'installation'],
  ['an unknown branch', `GET ${SHOP}/branches/none`, 'installation', { status: 404 }],
  ['a comparison', `GET ${SHOP}/compare/main...feature-1`, 'installation'],
  ['a comparison of a branch with itself', `GET ${SHOP}/compare/main...main`, 'installation'],
  ['a comparison with an unknown branch', `GET ${SHOP}/compare/main...none`, 'installation', { status: 404 }],
  ['a tree', `GET ${SHOP}/git/trees/${HEAD_SHA}?recursive=1`, 'installation'],
  ['an unknown tree', `GET ${SHOP}/git/trees/${'0'.repeat(40)}`, 'installation', { status: 404 }],
  ['a file', `GET ${SHOP}/contents/.github/deconflict.yml`, 'installation'],
  ['a file at a branch', `GET ${SHOP}/contents/.github/deconflict.yml?ref=feature-1`, 'installation'],
  ['a directory', `GET ${SHOP}/contents/.github`, 'installation'],
  ['an unknown file', `GET ${SHOP}/contents/none`, 'installation', { status: 404 }],

  ['the comments of a pull request', `GET ${SHOP}/issues/1/comments`, 'installation'],
  ['a new comment', `POST ${SHOP}/issues/1/comments`, 'installation', { status: 201, body: HI }],
  ['a comment on a locked one', `POST ${SHOP}/issues/8/comments`, 'installation', { status: 403, body: HI }],
  ['an edited comment', `${EDIT}/${COMMENT_ID}`, 'installation', { body: HI }],
  [
    "an edit of another user's comment",
    `${EDIT}/${COMMENT_ID + 1}`,
    'installation',
    { status: 403, body: HI },
  ],

  [
    'a check run',
    `POST ${SHOP}/check-runs`,
    'installation',
    {
      status: 201,
      body: {
        ...{ name: 'Deconflict', head_sha: HEAD_SHA, status: 'completed', conclusion: 'neutral' },
        output: { title: 'One overlap', summary: 'a.ts', annotations: [ANNOTATION] },
      },
    },
  ],
  [
    'a check run for an unknown commit',
    `POST ${SHOP}/check-runs`,
    'installation',
    { status: 422, body: { name: 'Deconflict', head_sha: 'none' } },
  ],
  [
    'a request with a token that was revoked',
    `GET ${SHOP}`,
    'alice',
    { status: 401, headers: { authorization: 'token no' } },
  ],
]

const FAULTS: [Fault, number][] = [
  ['rate_limited', 403],
  ['secondary_rate_limited', 403],
  ['too_many_requests', 429],
  ['forbidden', 403],
  ['not_found', 404],
  ['bad_credentials', 401],
  ['unprocessable', 422],
]

describe.each(PLATFORMS)('the fake GitHub, by the description of %s', (platform) => {
  const judge = githubJudge(platform)
  let filled: FilledGithub

  beforeAll(async () => {
    filled = await filledGithub(platform)
  })

  test.each(CASES)('%s', async (_, request, caller, { status = 200, body, headers } = {}) => {
    const answer = await filled.ask(request, caller, { body, headers })
    expect(answer.status).toBe(status)
    expect(judge.responseProblems(request.replace(/\?.*/, ''), status, answer.value)).toEqual([])
  })

  test.each(FAULTS)('%s', async (fault, status) => {
    filled.github.fault(`GET ${SHOP}/pulls`, fault, 1)
    const answer = await filled.ask(`GET ${SHOP}/pulls`, 'installation')
    expect(answer.status).toBe(status)
    expect(judge.responseProblems(`GET ${SHOP}/pulls`, status, answer.value)).toEqual([])
  })

  test('a response that has not changed', async () => {
    const { headers } = await filled.ask(`GET ${SHOP}/pulls`, 'installation')
    const again = await filled.ask(`GET ${SHOP}/pulls`, 'installation', {
      headers: { 'if-none-match': headers.etag as string },
    })
    expect(again.status).toBe(304)
    expect(judge.responseProblems(`GET ${SHOP}/pulls`, 304, again.value)).toEqual([])
  })

  test.each(calledRoutes())('%s, which the service calls, is described', (route) => {
    expect(judge.routes).toContain(route)
  })

  test.each(calledQueries())('%s is allowed', (query) => {
    expect(judge.queries).toContain(query)
  })

  test.each(SERVED_ROUTES)('%s, which the fake serves, is described', (route) => {
    expect(describedRoute(judge.routes, route)).toBeDefined()
  })

  test('every described route has a test', () => {
    const tested = CASES.map(([, request]) => describedRoute(judge.routes, request.replace(/\?.*/, '')))
    expect(judge.routes.filter((route) => !tested.includes(route))).toEqual([])
  })

  test('every exception occurs', () => {
    expect(EXCEPTIONS.filter((each) => !judge.excused.has(each))).toEqual([])
  })
})
