/** `deconflict prove`: builds the pairs that the service chooses for a pull request, and reports the outcome. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type ChosenPair, PAIRS_CHOSEN_MAX, type ProofChoice } from '../../vocabulary/contract/proof.ts'
import { type CommandContext, type CommonOptions, openContext } from '../command-context.ts'
import { CliError, EXIT, type ExitCode, type Runtime } from '../runtime.ts'
import { runCommand } from './command-run.ts'
import {
  onlyChosen,
  type Proved,
  type ProvedPair,
  readResults,
  reportAll,
  requireHead,
  resultLines,
} from './results.ts'
import { RunCache } from './run-cache.ts'
import { Scratch } from './scratch.ts'
import { untilSignal } from './signals.ts'
import { proveHeads, twice } from './verdict.ts'

export interface ProveOptions extends CommonOptions {
  pullRequest?: string
  pairs: string
  timeout: string
  logUrl?: string
  cache?: string
  /** False with `--no-report`. */
  report: boolean
  results?: string
  head?: string
}

/** Exit codes: 0 if no pair fails together, 2 if one does, 1 on errors. */
export async function prove(runtime: Runtime, command: string[], options: ProveOptions): Promise<ExitCode> {
  const context = await openContext(runtime, options)
  const proved =
    options.results === undefined
      ? await run(context, command, options)
      : await resultsOf(context, options.results, options)
  const reported = options.report ? await reportAll(context, proved) : proved
  context.show(reported, () => resultLines(reported))
  return reported.pairs.some(({ result }) => result === 'failed') ? EXIT.overlap : EXIT.clear
}

/** Code of the pull request may have written the file. So only pairs that the service chooses count, and their log is ours. */
async function resultsOf(
  context: CommandContext,
  file: string,
  { head, logUrl: log }: ProveOptions,
): Promise<Proved> {
  const proved = readResults(file)
  if (head !== undefined) requireHead(proved, head)
  return onlyChosen(context, proved, logUrl(log, context.runtime.env))
}

async function run(context: CommandContext, command: string[], options: ProveOptions): Promise<Proved> {
  const { client, at, runtime } = context
  if (command.length === 0)
    throw new CliError('name the command to run after --, such as: deconflict prove -- npm test')
  const most = numberFrom('--pairs', options.pairs, PAIRS_CHOSEN_MAX)
  const timeout_ms = 60_000 * numberFrom('--timeout', options.timeout, 1440)
  const { git_directory, is_elsewhere } = context.workspace
  if (git_directory === null || is_elsewhere)
    throw new CliError(`run it in a clone of ${at.owner}/${at.repo}`)
  const pull_request = pullRequestFrom(options.pullRequest, runtime.env)
  const choice = await client.choosePairs({ ...at, input: { pull_request } })
  const { base_branch } = choice
  if (choice.items.length === 0) return { pull_request, base_branch, pairs: [] }
  const job = { command, timeout_ms, most, log_url: logUrl(options.logUrl, runtime.env) }
  const cache = new RunCache(options.cache ?? (await cacheFile(context)))
  const pairs = await untilSignal((stopped) => provePairs(context, choice, { ...job, cache, stopped }))
  return { pull_request, base_branch, pairs }
}

interface Job {
  command: string[]
  /** How many pairs are run at most: one that git cannot merge makes room for the next. */
  most: number
  timeout_ms: number
  log_url: string | null
  cache: RunCache
  stopped: AbortSignal
}

function provePairs(context: CommandContext, choice: ProofChoice, job: Job): Promise<ProvedPair[]> {
  const { runtime, workspace } = context
  const { cwd, env, stderr } = runtime
  const command_hash = createHash('sha256').update(JSON.stringify(job.command)).digest('hex')
  const say = (text: string) => void stderr.write(`deconflict: ${text}\n`)
  return Scratch.use({ cwd, env, remote: workspace.remote ?? 'origin' }, async (scratch) => {
    const numbers = [...new Set(choice.items.flatMap(({ pull_requests }) => pull_requests))]
    const { heads: fetched, base } = await scratch.fetch(numbers, choice.base_branch)
    /** Runs the command on the base with `heads` merged into it. */
    const passes = async (heads: readonly string[]): Promise<boolean | null> => {
      const key = { command_hash, base, heads }
      const isMerge = heads.length > 1
      const known = isMerge ? undefined : job.cache.find(key)
      if (known !== undefined) return known
      const passed = await twice(() =>
        scratch.within({ base, heads }, (path) => {
          say(heads.length === 0 ? `running on ${base}` : `running on ${base} with ${heads.join(' and ')}`)
          return runCommand(job.command, { ...job, cwd: path, env, output: stderr })
        }),
      )
      if (passed !== null && !isMerge) job.cache.save(key, passed)
      return passed
    }
    const pairs: ProvedPair[] = []
    for (const { pull_requests, heads } of choice.items) {
      if (pairs.filter(({ result }) => result !== null).length === job.most) break
      const moved = movedSince({ pull_requests, heads }, fetched)
      const result = moved === null ? await proveHeads(heads, passes) : null
      const note = moved ?? (result === null ? 'git cannot merge them' : null)
      pairs.push({ pull_requests, heads, base, command_hash, result, log_url: job.log_url, note })
    }
    return pairs
  })
}

/** Says which side was pushed since the pair was chosen; null if none was. */
function movedSince(
  { pull_requests, heads }: Pick<ChosenPair, 'pull_requests' | 'heads'>,
  fetched: ReadonlyMap<number, string>,
): string | null {
  const moved = pull_requests.find((number, index) => fetched.get(number) !== heads[index])
  return moved === undefined ? null : `#${moved} was pushed meanwhile; run again`
}

async function cacheFile({ workspace: { git } }: CommandContext): Promise<string> {
  const directory = await git.commonDirectory()
  if (directory === undefined) throw new CliError('git did not name its directory; run git status')
  return join(directory, 'deconflict', 'proved.json')
}

/** The given number, else that of the pull request whose workflow runs. */
function pullRequestFrom(given: string | undefined, env: Runtime['env']): number {
  const [, number = given] =
    /^refs\/pull\/(\d+)\//.exec(given === undefined ? (env.GITHUB_REF ?? '') : '') ?? []
  if (number === undefined) throw new CliError('name the pull request with --pull-request NUMBER')
  return numberFrom('--pull-request', number, 2_147_483_647)
}

function numberFrom(option: string, given: string, max: number): number {
  const number = /^\d+$/.test(given) ? Number(given) : 0
  if (number < 1 || number > max) throw new CliError(`${option} must be a whole number from 1 to ${max}`)
  return number
}

/** The given address, else that of the workflow run. */
function logUrl(given: string | undefined, env: Runtime['env']): string | null {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: id } = env
  const ofRun = server && repository && id ? `${server}/${repository}/actions/runs/${id}` : null
  return given ?? (ofRun?.startsWith('https://') ? ofRun : null)
}
