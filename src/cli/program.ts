/** The command `deconflict`: its subcommands and options, and how failures are reported. */
import { Command, CommanderError, Option } from 'commander'
import { VERSION } from '../vocabulary/version.ts'
import { done, heartbeat, start, update } from './activity.ts'
import { HOOK_EVENTS } from './agents/agent.ts'
import { AGENTS } from './agents/agents.ts'
import { check } from './check.ts'
import { completionScript } from './completion.ts'
import { doctor } from './doctor/doctor.ts'
import { reportFailure } from './failure.ts'
import { fetch } from './fetch.ts'
import { hook } from './hook/hook.ts'
import { init } from './init/init.ts'
import { PARTS } from './init/targets.ts'
import { list, notes, order, show, why } from './list.ts'
import { login } from './login.ts'
import { mcp } from './mcp.ts'
import { note, number } from './note.ts'
import { EXIT, type ExitCode, type Runtime } from './runtime.ts'

const HELP_FOOTER = `
Server: --url, DECONFLICT_URL, or the address stored by deconflict login. Without
one, everything is compared within this clone, and nothing leaves this machine.
Token: GITHUB_TOKEN, GH_TOKEN, the one stored by deconflict login --with-token,
or gh auth token. It is sent over https://, and over http:// only to this
machine, unless you pass --insecure or set DECONFLICT_INSECURE=1.
Exit codes: 0 no overlap, 2 overlap, 1 error.`

/** Runs one command and returns its exit code. A failure is printed as one line, and with `--json` as JSON too. `args` do not contain the program name. */
export async function runCli(args: string[], runtime: Runtime): Promise<ExitCode> {
  // The hook parses its own options, because `cli.ts` normally runs it without loading this module.
  if (args[0] === 'hook' && !args.includes('--help')) return hook(runtime, args.slice(1))
  let code: ExitCode = EXIT.clear
  const program = createProgram(runtime, (result) => {
    code = result
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.clear
    reportFailure(runtime, error, { json: args.includes('--json') })
    return EXIT.error
  }
}

type Run = (...args: never[]) => Promise<ExitCode>

function createProgram(runtime: Runtime, end: (code: ExitCode) => void): Command {
  const program = new Command('deconflict')
    .description('Shows who else is working on the same part of a repository, before the merge does.')
    .version(VERSION)
    .addHelpText('after', HELP_FOOTER)
    .configureOutput({
      writeOut: (text) => runtime.stdout.write(text),
      writeErr: (text) => runtime.stderr.write(text),
    })
    .showHelpAfterError('(see --help for usage)')
    .exitOverride()
  const onServer = (usage: string) =>
    program
      .command(usage)
      .option('--url <url>', 'address of the server')
      .option('--insecure', 'send the token over http:// to another machine')
      .option('--repo <owner/name>', 'repository (default: that of the git remote)')
  /** A command with the common options. `run` gets the runtime, the arguments and the options. */
  const command = (usage: string, description: string, run: Run) =>
    onServer(usage)
      .description(description)
      .option('--local', 'compare within this clone only, without a service')
      .option('--json', 'print the API response as JSON')
      .action(async (...given: unknown[]) => end(await run(...([runtime, ...given.slice(0, -1)] as never[]))))
  addActivityCommands(command)
  addListCommands(command)
  command('note [title]', 'Create a notable: something to know about a part of the repository.', note)
    .option('--end <id>', 'end this notable instead')
    .option('--summary <text>', 'the caveat in a sentence or two')
    .option('--category <category>', 'architecture, migration, api-contract, …', 'warning')
    .option('--importance <importance>', 'low, medium, high, critical', 'medium')
    .option('--decision <url>', 'link to the decision')
    .option('--until <timestamp>', 'when it stops applying')
    .option('--paths <glob...>', 'where it applies (default: everywhere)')
    .option('--area <label...>', 'areas where it applies')
    .option('--supersedes <id...>', 'ids of the notables that it replaces')
    .option('--blocking', 'show it as a prominent warning')
  command('login [url]', 'Check that the server accepts your token, and store its address.', login).option(
    '--with-token',
    'also store the token from standard input, in a file that only you can read',
  )
  program
    .command('init')
    .description(
      'Install hooks for agents and git; in a shared repository also a section in AGENTS.md and a settings file. Lists the changes and asks first.',
    )
    .option('--yes', 'do not ask')
    .option('--diff', 'show every line that changes')
    .option('--undo', 'remove exactly what init wrote')
    .option(
      '--user',
      'write your own configuration of the agents, for all clones (default where nobody shares)',
    )
    .option('--windows', 'write hooks for a repository that is used on Windows too')
    .option('--only <part...>', `${PARTS.join(', ')} (default: of the agents, those that are used here)`)
    .addOption(
      new Option(
        '--hooks <content>',
        'what hooks show to agents: titles, or paths (no text by other people)',
      ).choices(['titles', 'paths']),
    )
    .action(async (options) => end(await init(runtime, options)))
  onServer('hook <event>')
    .description(
      `Run by hooks: ${HOOK_EVENTS.join(', ')}. Reads the agent’s JSON from standard input; never fails.`,
    )
    .requiredOption('--agent <agent>', AGENTS.map(({ name }) => name).join(', '))
    .option('--no-titles', 'show no text by other people, only logins, numbers and paths')
  command('doctor', 'Check the set-up of this working tree, and show how to fix each problem.', doctor)
  program
    .command('completion <shell>')
    .description('Print a script that completes commands and options: bash, zsh or fish.')
    .action((shell) => void runtime.stdout.write(completionScript(program, shell)))
  command('mcp', 'Serve MCP over standard input and output, for agents that start a process.', mcp)
  return program
}

type AddCommand = (usage: string, description: string, run: Run) => Command

function addActivityCommands(command: AddCommand): void {
  const onBranch = (each: Command) =>
    each
      .option('--branch <name>', 'branch (default: the checked-out branch)')
      .option('--base <name>', 'branch that it merges into (default: the default branch of the remote)')
  const withScope = (
    each: Command,
    paths = 'files or globs (default: the files changed on the branch and in the working tree)',
  ) => onBranch(each).option('--paths <glob...>', paths).option('--area <label...>', 'area labels')
  const withTitles = (each: Command) =>
    each.option('--no-titles', 'show no text by other people, only logins, numbers, ids and own paths')
  const withFields = (each: Command) =>
    each
      .option('--summary <text>', 'one or two lines about the work')
      .option('--risk <risk>', 'low, medium, high, critical')
      .option('--pr <url>', 'the pull request')
      .option('--draft', 'the pull request is a draft')
      .option('--no-draft', 'the pull request is not a draft')
      .option('--blocking', 'warn others prominently')
      .option('--no-blocking', 'remove that warning')

  withTitles(
    withScope(command('check', 'Check whether your work overlaps with other work. Creates nothing.', check)),
  )
    .option('--tag <label...>', 'extra labels to widen the match')
    .option(
      '--staged',
      'only committed and staged files, as before a push; takes at most 3 s, and exits with 0 unless --block is set',
    )
    .option('--block', 'with --staged: exit with 2 on overlap, 1 on errors')
    .option('--fetch', 'fetch the open pull requests first, to compare them without a service')
  withTitles(
    withFields(
      withScope(command('start [title]', 'Create an activity for your work on this branch.', start)),
    ),
  )
    .option('--actor <name>', 'the person behind the work (default: user.name of git)')
    .option('--agent <name>', 'the agent tool in use')
    .option(
      '--issue <number>',
      'the issue of the work (default: the one that the branch names, as in 7-retry)',
    )
  withTitles(
    withFields(
      withScope(command('update [id]', 'Change an activity.', update), 'files or globs to replace its paths'),
    ),
  )
    .option('--title <text>', 'a new title')
    .option('--status <status>', 'planned, active, paused, blocked, draft-pr-open, ready-for-review, …')
    .option('--refresh', 'read the changed files from git again')
  onBranch(
    command(
      'number <directory>',
      'Reserve the next free number of a directory, such as that of migrations.',
      number,
    ),
  )
    .option('--activity <id>', 'the activity (default: that of the branch)')
    .option('--rename', 'rename the new file there to the reserved number')
  withTitles(onBranch(command('heartbeat [id]', 'Keep an activity alive, and show its overlap.', heartbeat)))
  onBranch(command('done [id]', 'Archive an activity or a notable.', done))
    .option('--merged', 'set the status to merged instead')
    .option('--abandoned', 'set the status to abandoned instead')
}

function addListCommands(command: AddCommand): void {
  const listed = (each: Command) =>
    each
      .option('--status <status>', 'only those with this status')
      .option('--limit <count>', 'maximum number of results')
      .option('--cursor <cursor>', 'continue where the last page ended')

  listed(command('list', 'List live activities and their collisions.', list))
    .option('--all', 'include merged, abandoned, archived and expired activities')
    .option('--branch <name>', 'only activities of this branch')
    .option(
      '--mine',
      'only activities of the checked-out branch; on the base branch those created in this working tree',
    )
    .option('--risk <risk>', 'only those with this risk')
    .option('--actor <name>', 'only those of this person')
  command('show <id>', 'Show every field of an activity or notable.', show)
  listed(command('notes', 'List notables.', notes))
    .option('--importance <importance>', 'only those of this importance')
    .option('--category <category>', 'only those of this category')
    .option('--area <label>', 'only those of this area')
  command('fetch', 'Read the open pull requests from the remote, to compare them without a service.', fetch)
  command('why <number>', 'Explain what a comment on a pull request shows, and why not.', why)
  command(
    'order',
    'Show the order in which to merge the open pull requests that conflict with each other.',
    order,
  )
}
