/**
 * Ten sessions of real coding agents start at once on a backlog of twenty issues, with two instances of the service behind a
 * load balancer, one of which is killed. The models are stubs that take one of the first issues, as agents do that share a list.
 */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { type Deployment, startDeployment } from '../support/deployment.ts'
import type { ServiceProcess } from '../support/process.ts'
import { randomOf } from '../support/random-merges.ts'
import { type RoundRobin, startRoundRobin } from '../support/round-robin.ts'
import { type BacklogAgent, backlogAgent, CONTENT, fileOf, textsOfOurs } from './backlog-agent.ts'
import { PROGRAMS, type Program } from './programs.ts'
import { runSession } from './session.ts'

const SHOP = { owner: 'acme', repo: 'shop' }
const SESSIONS = 10
const ISSUES = 20
/** A session takes one of the first issues of the list, and later any that it has not heard of. */
const FIRST = 5
const MINUTE_MS = 60_000
/** The instance is killed while it creates this activity. */
const KILLED_AT = 3
const SEED = Number(process.env.TEST_SEED ?? 1)
const INIT = ['--only', ...PROGRAMS.map(({ part }) => part), 'git']
const sessions = Array.from({ length: SESSIONS }, (_, index) => index + 1)
const issues = Array.from({ length: ISSUES }, (_, index) => index + 1)
const executables = inject('executables')
const report: string[] = []

let deployment: Deployment
let database: FreshDatabase
let services: ServiceProcess[]
let balancer: RoundRobin

beforeAll(async () => {
  deployment = await startDeployment(['acme/shop'])
  deployment.githubServer.github.token('tok-ada', {
    login: 'ada',
    id: 1,
    permissions: { 'acme/shop': 'write' },
  })
  database = await freshDatabase()
  services = await deployment.start(2, { DATABASE_URL: database.database_url, TRUST_PROXY: '1' })
  let creates = 0
  const onSent = (at: number, { method, url }: { method?: string; url?: string }) => {
    if (at !== 1 || method !== 'POST' || !url?.endsWith('/activity')) return
    creates += 1
    if (creates === KILLED_AT) services[1]?.signal('SIGKILL')
  }
  balancer = await startRoundRobin(
    services.map(({ url }) => url),
    { onSent },
  )
})
afterAll(async () => {
  await balancer.close()
  await deployment.close()
  await database.drop()
  process.stdout.write(`\n${report.join('\n')}\n`)
})

interface Ran extends BacklogAgent {
  name: string
  client: string
  code: number | null
  output: string
  hooks: string
}

interface Results {
  ran: Ran[]
  /** The branches that held the issue when a session was about to edit its file, by session. */
  held_at_edit: Record<string, string | null | undefined>
  /** When all sessions have edited: the branches that hold an issue and the others on it, by issue. */
  at_end: { issue: number; holder: string | null; others: (string | null)[] }[]
  started_within_ms: number
}

/** Runs the sessions; they end when all have edited. */
async function runSessions(init: string[] | null): Promise<Results> {
  const client = () => createClient({ base_url: balancer.url, token: 'tok-ada' })
  const random = randomOf(SEED)
  const draw = (from: number[]) => from[Math.floor(random() * from.length)] as number
  const firsts = sessions.map(() => draw(issues.slice(0, FIRST)))
  const held_at_edit: Results['held_at_edit'] = {}
  const at_end: Results['at_end'] = []
  const allReady = gate()
  const allEdited = gate(async () => {
    for (const number of issues) {
      const { holder, others } = await client().getIssue({ ...SHOP, number })
      const branches = others.map(({ branch }) => branch)
      if (holder) at_end.push({ issue: number, holder: holder.branch, others: branches })
    }
  })
  const started: number[] = []
  const one = async (session: number): Promise<Ran> => {
    const program = PROGRAMS[session % PROGRAMS.length] as Program
    const name = `agent-${session}`
    const first = firsts[session - 1] as number
    // Half of them name the issue in their branch, and half in their prompt.
    const branch = session % 2 === 0 ? `${first}-${name}` : name
    let agent: BacklogAgent | undefined
    try {
      const result = await runSession(program, {
        executables,
        url: balancer.url,
        init,
        prompt: session % 2 === 0 ? 'Fix the issue of this branch.' : `Fix #${first}.`,
        async prepare(tree) {
          await tree.write(Object.fromEntries(issues.map((issue) => [fileOf(issue), CONTENT])))
          await tree.git('add', '-A')
          await tree.git('commit', '-q', '-m', 'Add the files of the issues')
          await tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
          await tree.git('branch', '-m', branch)
        },
        async begin() {
          await allReady.pass(session)
          started.push(Date.now())
        },
        modelIn(tree) {
          agent = backlogAgent(tree, {
            program,
            name,
            first,
            next: (taken) => draw(issues.filter((issue) => !taken.includes(issue))),
            async onEdit(number) {
              const { holder } = await client().getIssue({ ...SHOP, number })
              held_at_edit[name] = holder?.branch
            },
            untilEnd: () => allEdited.pass(session),
          })
          return agent.replyTo
        },
      })
      await result.remove()
      const { code, output, hooks } = result
      return { ...(agent as BacklogAgent), name, client: program.name, code, output, hooks }
    } finally {
      allReady.arrive(session)
      allEdited.arrive(session)
    }
  }
  const ran = await Promise.all(sessions.map(one))
  return { ran, held_at_edit, at_end, started_within_ms: Math.max(...started) - Math.min(...started) }
}

/** Lets the sessions pass when all have come or ended; runs `then` before. */
function gate(then: () => Promise<void> = async () => {}) {
  const here = new Set<number>()
  let open: (result: Promise<void>) => void
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const arrive = (session: number) => {
    if (here.has(session)) return
    here.add(session)
    if (here.size === SESSIONS) open(then())
  }
  return {
    arrive,
    pass: (session: number) => {
      arrive(session)
      return opened
    },
  }
}

const wordsOf = (texts: string[]) => texts.join(' ').split(/\s+/).filter(Boolean).length
/** The issues of which two sessions or more edited the file. */
const editedTwice = ({ ran }: Results) => {
  const edited = ran.flatMap(({ attempts }) => attempts.filter(({ is_edited }) => is_edited))
  return issues.filter((number) => edited.filter(({ issue }) => issue === number).length > 1)
}

function describeRun(title: string, results: Results): void {
  const { ran, started_within_ms } = results
  report.push(`${title}: ${SESSIONS} sessions started within ${started_within_ms} ms`)
  for (const { name, client, attempts, context } of ran) {
    const heard = attempts.map(
      ({ issue, heard_in, is_edited }) =>
        `#${issue}${heard_in === null ? '' : ` (held: heard in request ${heard_in})`}${is_edited ? ' edited' : ''}`,
    )
    report.push(`  ${name}, ${client}: ${heard.join(', ')}; ${wordsOf(textsOfOurs(context))} words of ours`)
  }
  report.push(`  issues edited by two sessions or more: ${editedTwice(results).length}`)
}

test('without hooks, several sessions take the same issue', { timeout: 15 * MINUTE_MS }, async () => {
  const results = await runSessions(null)
  describeRun('Without hooks', results)
  expect(results.ran.map(({ code }) => code)).toEqual(sessions.map(() => 0))
  expect(editedTwice(results).length).toBeGreaterThan(0)
})

describe('with hooks, one instance killed while it creates an activity', () => {
  let results: Results

  beforeAll(async () => {
    results = await runSessions(INIT)
    describeRun('With hooks', results)
    report.push(`  requests that the killed instance did not answer: ${balancer.cut.join(', ') || 'none'}`)
    report.push(`  requests by instance: ${balancer.given.join(' and ')}`)
  }, 15 * MINUTE_MS)

  test('all sessions end by themselves, although an instance was killed', () => {
    expect(results.ran.map(({ code, output }) => (code === 0 ? 0 : output))).toEqual(sessions.map(() => 0))
    expect(services.map((service) => service.isRunning())).toEqual([true, false])
    expect(balancer.cut.length).toBeGreaterThan(0)
  })

  test('no issue is taken twice: each session holds the issue that it edits', () => {
    expect(editedTwice(results)).toEqual([])
    for (const { name, attempts } of results.ran) {
      const { issue } = attempts.at(-1) as { issue: number }
      expect(results.held_at_edit[name], name).toMatch(new RegExp(`^(${issue}-)?${name}$`))
    }
    expect(results.at_end.map(({ issue }) => issue)).toHaveLength(SESSIONS)
    expect(results.at_end.flatMap(({ others }) => others)).toEqual([])
  })

  test('who loses hears it in the first or second request after taking the issue', () => {
    const lost = results.ran.flatMap(({ attempts }) => attempts.filter(({ heard_in }) => heard_in !== null))
    expect(lost.length).toBeGreaterThan(0)
    expect(lost.filter(({ heard_in }) => (heard_in as number) > 2)).toEqual([])
  })

  test('a session reads at most 120 words of Deconflict', () => {
    const words = results.ran.map(({ context }) => wordsOf(textsOfOurs(context)))
    expect(Math.max(...words)).toBeGreaterThan(20)
    expect(Math.max(...words)).toBeLessThanOrEqual(120)
  })
})
