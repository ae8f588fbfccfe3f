#!/usr/bin/env node
/** The operator's commands: jobs that were given up, the data of a repository, and whether the database is in order. */
import { parseArgs } from 'node:util'
import { systemClock } from './base/clock.ts'
import { ConfigError, readConfig } from './base/config.ts'
import { findRepository, listRepositoriesNamed, type RepositoryRow } from './context/store.ts'
import { connectDatabase, type Database, type Db } from './db/connect.ts'
import { DirectoryError } from './db/directory-lock.ts'
import { DistributeError, distribute, listShardCounts } from './db/distribute.ts'
import { codeOf } from './db/errors.ts'
import { listJobs, reviveJob } from './jobs/store.ts'
import { purgeRepository } from './operations/purge-store.ts'
import { type Verified, verify } from './operations/verify.ts'

const USAGE = `Usage: deconflict-admin COMMAND

  deliveries list            the deliveries and other jobs that were given up, the oldest first
  deliveries replay ID       makes one of them due again
  purge OWNER/REPO | ID      deletes all that is stored of a repository, at once
  verify                     looks at the schema, at every row and at the index of the overlap check, and changes
                             nothing; one line for each fault
  verify --repair            the same, and brings that index in line with the records
  distribute                 spreads the tables over the nodes of a Citus cluster, by repository; a second time
                             it does what is left to do

The database is that of DATABASE_URL, or the embedded one in DATA_DIR, while no service has it.
Ends with 0 when all is well, 1 when something is wrong or not there, 2 when the command could not be carried out.
`

const LISTED_MAX = 1000

type Say = (line: string) => void
/** Answers whether all is well. */
type Command = (database: Database, argument: string, say: Say) => Promise<boolean>

const COMMANDS: Record<string, { takes: number; run: Command }> = {
  'deliveries list': { takes: 0, run: listDead },
  'deliveries replay': { takes: 1, run: replay },
  purge: { takes: 1, run: purge },
  distribute: { takes: 0, run: distributeAll },
  verify: { takes: 0, run: (database, _, say) => verifyAll(database, { repair: false }, say) },
  'verify --repair': { takes: 0, run: (database, _, say) => verifyAll(database, { repair: true }, say) },
}

async function listDead(database: Database, _: string, say: Say): Promise<boolean> {
  const dead = await listJobs(database.connection(), 'dead', LISTED_MAX)
  if (dead.length === 0) say('None was given up.')
  for (const { id, attempts, updated_at, last_error } of dead)
    say(`${id}  ${attempts} attempts, last at ${updated_at.toISOString()}: ${firstLine(last_error)}`)
  if (dead.length === LISTED_MAX) say(`These are the oldest ${LISTED_MAX}.`)
  return true
}

async function replay(database: Database, id: string, say: Say): Promise<boolean> {
  const isRevived = await reviveJob(database.connection(), id, systemClock())
  say(isRevived ? `${id} is due again.` : `${id} was not given up; see deliveries list.`)
  return isRevived
}

async function purge(database: Database, named: string, say: Say): Promise<boolean> {
  const db = database.connection()
  const found = await repositoriesOf(db, named)
  const [repository] = found
  if (found.length > 1) {
    const ids = found.map((each) => each.repo_id).join(', ')
    say(`More than one repository was called ${named}; name one by GitHub's id: ${ids}.`)
    return false
  }
  const repo_id = repository?.repo_id ?? (isNumber(named) ? Number(named) : undefined)
  // What a repository that is not known has left behind is found by its number all the same.
  const deleted =
    repo_id === undefined ? 0 : await database.patiently((long) => purgeRepository(long, repo_id))
  const name = repository ? `${repository.owner}/${repository.name} (${repo_id})` : named
  say(
    deleted > 0
      ? `Deleted all that was stored of ${name}: ${deleted} rows.`
      : `Nothing is stored of ${name}.`,
  )
  return deleted > 0
}

async function repositoriesOf(db: Db, named: string): Promise<RepositoryRow[]> {
  if (isNumber(named)) {
    const known = await findRepository(db, Number(named))
    return known ? [known] : []
  }
  const [owner = '', name = ''] = named.split('/')
  return listRepositoriesNamed(db, owner, name)
}

function isNumber(named: string): boolean {
  return /^\d{1,15}$/.test(named)
}

async function verifyAll(database: Database, { repair }: { repair: boolean }, say: Say): Promise<boolean> {
  const verified: Verified = { repositories: 0, rows: 0 }
  let [faults, repaired] = [0, 0]
  for await (const fault of verify(database.connection(), systemClock, { verified, repair })) {
    if (fault.is_repaired) repaired += 1
    else faults += 1
    say(`${fault.where}: ${fault.problem}; ${fault.remedy}`)
  }
  const { repositories, rows } = verified
  const left = `${faults === 0 ? 'No fault' : faults} in ${repositories} repositories and ${rows} rows.`
  say(repaired > 0 ? `${repaired} repaired. ${left}` : left)
  return faults === 0
}

async function distributeAll(database: Database, _: string, say: Say): Promise<boolean> {
  if (database.kind === 'embedded')
    throw new DistributeError(
      'the embedded database cannot be distributed: set DATABASE_URL to the coordinator of a Citus cluster',
    )
  const { tables, shards } = await database.patiently(async (db) => ({
    tables: await distribute(db),
    shards: await listShardCounts(db),
  }))
  for (const { name, is_on_coordinator, is_new } of tables) {
    const place = is_on_coordinator ? 'on the coordinator' : 'distributed by repo_id'
    say(`${name}: ${place}${is_new ? '' : ' already'}`)
  }
  for (const { node, shards: count } of shards) say(`${node} has ${count} shards`)
  return true
}

function firstLine(text: string | null): string {
  return text?.split('\n')[0] ?? ''
}

async function main(): Promise<boolean> {
  const { positionals, values } = argumentsGiven()
  const say: Say = (line) => process.stdout.write(`${line}\n`)
  if (values.help) {
    process.stdout.write(USAGE)
    return true
  }
  const given = [...positionals, ...(values.repair ? ['--repair'] : [])]
  const found = Object.entries(COMMANDS).find(([name, { takes }]) => {
    const words = name.split(' ')
    return given.length === words.length + takes && words.every((word, at) => given[at] === word)
  })
  if (!found) throw new ConfigError(`no such command: ${given.join(' ') || 'none was given'}; see --help`)
  const database = await connectDatabase(readConfig(process.env))
  try {
    return await found[1].run(database, given.at(-1) ?? '', say)
  } finally {
    await database.close()
  }
}

function argumentsGiven() {
  try {
    const options = { help: { type: 'boolean', short: 'h' }, repair: { type: 'boolean' } } as const
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    throw new ConfigError(`${(error as Error).message.split('.')[0]}; see --help`)
  }
}

/** What could not be done, on one line; the text of a database error is not shown: it may hold the password. */
function lineOf(error: unknown): string {
  if (error instanceof ConfigError || error instanceof DistributeError) return error.message
  if (error instanceof DirectoryError)
    return `${error.message}. The embedded database can be read only while no service has it`
  const code = codeOf(error)
  if (code === '42P01' || code === '3F000') return 'the database has no schema; start the service on it once'
  if (code === '40P01') return 'the service was at the same records, and nothing was changed; run it again'
  if (code === undefined) return (error as Error).stack ?? String(error)
  return `the database cannot be read (${code}); look at DATABASE_URL, or DATA_DIR`
}

main().then(
  (isWell) => {
    process.exitCode = isWell ? 0 : 1
  },
  (error: unknown) => {
    process.stderr.write(`deconflict-admin: ${lineOf(error)}\n`)
    process.exit(2)
  },
)
