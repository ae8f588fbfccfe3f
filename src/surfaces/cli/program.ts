/** The command `deconflict`: its commands, their options, and how it ends (issue: every door). */
import { Command, CommanderError } from 'commander'
import { DeconflictError } from '../../client/client.ts'
import { connect } from './account.ts'
import { AGENTS, HOOK_EVENTS } from './agents.ts'
import { check } from './check.ts'
import { hook } from './hook.ts'
import { init } from './init/init.ts'
import { PARTS } from './init/plan.ts'
import { list, notes, show } from './list.ts'
import { login } from './login.ts'
import { note } from './note.ts'
import { findPlace } from './place.ts'
import type { CommonOptions } from './session.ts'
import { plain } from './terminal.ts'
import { watch } from './watch.ts'
import { done, heartbeat, start, update } from './work.ts'
import { CliError, EXIT, type ExitCode, type World } from './world.ts'

const TAIL = `
Server: --url, DECONFLICT_URL, or what deconflict login stored.
Token: GITHUB_TOKEN, GH_TOKEN, or gh auth token. It goes over https://, and over http:// to this machine only
       (--insecure or DECONFLICT_INSECURE=1 lift that).
Exit codes: 0 clear, 2 overlap, 1 error.`

/** Runs one command and answers its exit code; failures are written as one line. `args` is without the name of the program. */
export async function runCli(args: string[], world: World): Promise<ExitCode> {
  let code: ExitCode = EXIT.clear
  const program = build(world, (result) => {
    code = result
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.clear : EXIT.error
    world.stderr.write(`deconflict: ${lineOf(error)}\n`)
    return EXIT.error
  }
}

function lineOf(error: unknown): string {
  if (error instanceof CliError) return error.message
  if (!(error instanceof DeconflictError)) return (error as Error)?.stack ?? String(error)
  const hints: Partial<Record<DeconflictError['type'], string>> = {
    unauthorized: '; set GITHUB_TOKEN, or run gh auth login',
    unreachable: '; is the server up, and its address right? See DECONFLICT_URL and deconflict login',
    timed_out: '; try again',
  }
  const request = error.request_id === null ? '' : ` (${error.request_id})`
  return plain(`${error.message}${hints[error.type] ?? ''}${request}`)
}

type Run = (...args: never[]) => Promise<ExitCode>

function build(world: World, end: (code: ExitCode) => void): Command {
  const program = new Command('deconflict')
    .description('Shows who else is working on the same part of a repository, before the merge does.')
    .version(world.version)
    .addHelpText('after', TAIL)
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => world.stderr.write(text),
    })
    .showHelpAfterError('(--help tells what there is)')
    .exitOverride()
  /** One command, with the options that nearly all have. `run` gets the world, the arguments and the options. */
  const command = (usage: string, description: string, run: Run) =>
    program
      .command(usage)
      .description(description)
      .option('--url <url>', 'the server')
      .option('--insecure', 'send the token over http:// to another machine')
      .option('--repo <owner/name>', 'the repository; default: that of the git remote')
      .option('--json', 'the answer of the API, as JSON')
      .action(async (...given: unknown[]) => end(await run(...([world, ...given.slice(0, -1)] as never[]))))
  const onBranch = (each: Command) =>
    each
      .option('--branch <name>', 'default: the one that is checked out')
      .option('--base <name>', 'what it merges into; default: the default branch of the remote')
  const scoped = (each: Command, paths = 'default: what the branch and the working tree change') =>
    onBranch(each).option('--paths <glob...>', paths).option('--area <label...>', 'areas that are touched')

  scoped(command('check', 'Ask whether your work overlaps with others’. Creates nothing.', check))
    .option('--tag <label...>', 'extra labels to widen the match')
    .option(
      '--staged',
      'only what is committed or staged, as before a push; never fails without --block, waits 3 s at most',
    )
    .option('--block', 'with --staged: exit with 2 on overlap, with 1 on errors')
  fields(scoped(command('start [title]', 'Announce the work of this branch.', start)))
    .option('--actor <name>', 'the human behind the work; default: user.name of git')
    .option('--agent <name>', 'the agent tool in use')
  fields(scoped(command('update [id]', 'Change what is announced.', update), 'in place of those announced'))
    .option('--title <text>', 'what the work is called')
    .option('--status <status>', 'planned, active, paused, blocked, draft-pr-open, ready-for-review, …')
    .option('--refresh', 'take the paths from git again')
  onBranch(
    command('heartbeat [id]', 'Say that the work goes on, and hear of overlap that came up.', heartbeat),
  )
  onBranch(command('done [id]', 'Say that the work is over.', done))
    .option('--merged', 'it was merged')
    .option('--abandoned', 'it was given up')
  listed(command('list', 'Who works on what, and where it collides.', list))
    .option('--all', 'also work that is merged, abandoned, archived or expired')
    .option('--branch <name>', 'only work on that branch')
    .option(
      '--mine',
      'only work on the branch that is checked out; on the base what was announced from this working tree',
    )
    .option('--risk <risk>', 'only work of this risk')
    .option('--actor <name>', 'only the work of this person')
  command('show <id>', 'Every field of an activity or notable.', show)
  command('note <title>', 'Tell everyone who works in some part of the repository, for about a week.', note)
    .option('--summary <text>', 'the caveat in a sentence or two')
    .option('--category <category>', 'architecture, migration, api-contract, …', 'warning')
    .option('--importance <importance>', 'low, medium, high, critical', 'medium')
    .option('--decision <url>', 'the document that holds the decision')
    .option('--until <timestamp>', 'when it ceases to hold')
    .option('--paths <glob...>', 'where it applies; default: everywhere')
    .option('--area <label...>', 'areas where it applies')
    .option('--supersedes <id...>', 'notables that it replaces')
    .option('--blocking', 'a prominent warning')
  listed(command('notes', 'The notables that hold.', notes))
    .option('--importance <importance>', 'only those of this importance')
    .option('--category <category>', 'only those of this category')
    .option('--area <label>', 'only those of this area')
  command('watch', 'Who works on what, live.', watch)
    .option('--interval <seconds>', 'how often to ask', '5')
    .option('--once', 'draw once and end')
  command('login [url]', 'Store the server’s address, and check that it takes your token.', login).option(
    '--with-token',
    'store the token from standard input too, in a file for you alone',
  )
  program
    .command('init')
    .description(
      'Set up the hooks of agents and git, a section in AGENTS.md, and the settings. Shows it, and asks.',
    )
    .option('--yes', 'do not ask')
    .option('--undo', 'take out exactly what init wrote')
    .option('--only <part...>', PARTS.join(', '))
    .action(async (options) => end(await init(world, options)))
  command(
    'hook <event>',
    `What hooks call: ${HOOK_EVENTS.join(', ')}. Reads the agent’s JSON; never fails.`,
    hook,
  ).requiredOption('--agent <agent>', AGENTS.join(', '))
  command('mcp', 'Serve MCP over standard input and output, for agents that start a process.', mcp)
  return program
}

function fields(each: Command): Command {
  return each
    .option('--summary <text>', 'one or two lines on the work')
    .option('--risk <risk>', 'low, medium, high, critical')
    .option('--pr <url>', 'the pull request')
    .option('--draft', 'the pull request is a draft')
    .option('--no-draft', 'it is none')
    .option('--blocking', 'a prominent warning to others')
    .option('--no-blocking', 'no such warning')
}

function listed(each: Command): Command {
  return each
    .option('--status <status>', 'only those of this status')
    .option('--limit <count>', 'how many at most')
    .option('--cursor <cursor>', 'go on where the last answer ended')
}

async function mcp(world: World, options: CommonOptions): Promise<ExitCode> {
  const place = await findPlace(world, options).catch(() => undefined)
  const client = await connect(world, place, { url: options.url, insecure: options.insecure })
  const actor = (await place?.git.config('user.name')) ?? world.env.USER
  await world.serveMcp(client, {
    ...(place && { repository: `${place.owner}/${place.repo}` }),
    ...(actor && { actor }),
  })
  return EXIT.clear
}
