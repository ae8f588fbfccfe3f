/** The commands of `deconflict-admin` (docs/operations.md: deconflict-admin). */
import { systemClock } from '../../../vocabulary/clock.ts'
import { parseFullName } from '../../../vocabulary/names.ts'
import { startFarewell } from '../../github/tracking/repository-events.ts'
import { listJobs, reviveJob } from '../../jobs/store.ts'
import type { Database, Db } from '../../platform/db/database.ts'
import { DistributeError, distribute, listShardCounts } from '../../platform/db/distribute.ts'
import {
  findRepository,
  listRepositoriesNamed,
  type RepositoryRow,
} from '../../records/repositories/store.ts'
import { purgeRepository } from './purge-store.ts'

export const USAGE = `Usage: deconflict-admin COMMAND

  deliveries list            list dead letters: deliveries and other jobs that failed too often, oldest first
  deliveries replay ID       retry the dead letter with this id
  farewell OWNER/REPO | ID   say in all comments that the repository is not watched any more, before the App is uninstalled
  purge OWNER/REPO | ID      delete everything that is stored about a repository
  distribute                 distribute the tables over a Citus cluster by repository; can be run again

Uses the database at DATABASE_URL, or the embedded one in DATA_DIR while no service runs on it.
Exits with 0 if there are no problems, 1 if there are problems or the target does not exist, 2 if the command could not run.
`

const LISTED_MAX = 1000

type Print = (line: string) => void

interface Command {
  /** The number of arguments after the name. */
  takes: number
  /** Returns whether there are no problems, and `argument` exists. */
  run(database: Database, argument: string, print: Print): Promise<boolean>
}

const COMMANDS: Record<string, Command> = {
  'deliveries list': { takes: 0, run: listDeadLetters },
  'deliveries replay': { takes: 1, run: replay },
  farewell: { takes: 1, run: farewell },
  purge: { takes: 1, run: purge },
  distribute: { takes: 0, run: distributeTables },
}

/** The command that these arguments name; undefined if there is none. */
export function findCommand(args: string[]): Command | undefined {
  const found = Object.entries(COMMANDS).find(([name, { takes }]) => {
    const words = name.split(' ')
    return args.length === words.length + takes && words.every((word, at) => args[at] === word)
  })
  return found?.[1]
}

async function listDeadLetters(database: Database, _: string, print: Print): Promise<boolean> {
  const dead = await listJobs(database.connection(), 'dead', LISTED_MAX)
  if (dead.length === 0) print('No dead letters.')
  for (const { id, attempts, updated_at, last_error } of dead)
    print(
      `${id}  ${attempts} attempts, last at ${updated_at.toISOString()}: ${last_error?.split('\n')[0] ?? ''}`,
    )
  if (dead.length === LISTED_MAX) print(`Only the oldest ${LISTED_MAX} are listed.`)
  return true
}

async function replay(database: Database, id: string, print: Print): Promise<boolean> {
  const isRevived = await reviveJob(database.connection(), id, systemClock())
  print(isRevived ? `${id} is due again.` : `${id} is not a dead letter; see deliveries list.`)
  return isRevived
}

/** The running service makes the edits, at its pace of writes. */
async function farewell(database: Database, given: string, print: Print): Promise<boolean> {
  const db = database.connection()
  const found = await findRepositories(db, given)
  const [repository] = found
  if (isAmbiguous(found, given, print)) return false
  if (repository?.installation_id == null) {
    print(`The App is not installed in ${given}, so it cannot edit anything there.`)
    return false
  }
  const { left } = await startFarewell(db, repository, systemClock())
  print(
    left === 0
      ? `Everything says that ${given} is not watched any more; you can uninstall the App.`
      : `Nothing is posted in ${given} any more. The service edits what it published on ${left} pull requests; run this again to see how many are left.`,
  )
  return true
}

function isAmbiguous(found: RepositoryRow[], given: string, print: Print): boolean {
  if (found.length < 2) return false
  const ids = found.map((each) => each.repo_id).join(', ')
  print(`Several repositories had the name ${given}; pass GitHub's id of one: ${ids}.`)
  return true
}

async function purge(database: Database, given: string, print: Print): Promise<boolean> {
  const found = await findRepositories(database.connection(), given)
  const [repository] = found
  if (isAmbiguous(found, given, print)) return false
  // Rows of an unknown repository can be purged by its id.
  const repo_id = repository?.repo_id ?? (isNumber(given) ? Number(given) : undefined)
  const deleted =
    repo_id === undefined ? 0 : await database.withLongTimeout((long) => purgeRepository(long, repo_id))
  const name = repository ? `${repository.owner}/${repository.name} (${repo_id})` : given
  print(deleted > 0 ? `Deleted ${deleted} rows of ${name}.` : `Nothing is stored about ${name}.`)
  return deleted > 0
}

async function findRepositories(db: Db, given: string): Promise<RepositoryRow[]> {
  if (isNumber(given)) {
    const known = await findRepository(db, Number(given))
    return known ? [known] : []
  }
  const named = parseFullName(given)
  return named ? listRepositoriesNamed(db, named.owner, named.name) : []
}

function isNumber(given: string): boolean {
  return /^\d{1,15}$/.test(given)
}

async function distributeTables(database: Database, _: string, print: Print): Promise<boolean> {
  if (database.kind === 'embedded')
    throw new DistributeError(
      'the embedded database cannot be distributed: set DATABASE_URL to the coordinator of a Citus cluster',
    )
  const { tables, shards } = await database.withLongTimeout(async (db) => ({
    tables: await distribute(db),
    shards: await listShardCounts(db),
  }))
  for (const { name, placement, is_new } of tables) print(`${name}: ${placement}${is_new ? '' : ' already'}`)
  for (const { node, shards: count } of shards) print(`${node} has ${count} shards`)
  return true
}
