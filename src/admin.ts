/** The operator's commands: jobs that were given up, and the data of a repository (issue: inbox, reconciliation). */
import { parseArgs } from 'node:util'
import { systemClock } from './base/clock.ts'
import { type Config, ConfigError, readConfig } from './base/config.ts'
import { findRepository, listRepositoriesNamed, type RepositoryRow } from './context/store.ts'
import { type Database, type Db, openDatabase } from './db/connect.ts'
import { DirectoryInUseError } from './db/directory-lock.ts'
import { codeOf } from './db/errors.ts'
import { purgeRepository } from './db/purge.ts'
import { listJobs, reviveJob } from './jobs/store.ts'

const USAGE = `Usage: npm run admin -- COMMAND

  deliveries list            the deliveries and other jobs that were given up, the oldest first
  deliveries replay ID       makes one of them due again
  purge OWNER/REPO | ID      deletes all that is stored of a repository, at once

The database is that of DATABASE_URL, or of DATA_DIR while the service is stopped.
`

const LISTED_MAX = 1000

type Command = (database: Database, argument: string) => Promise<string>

const COMMANDS: Record<string, { takes: number; run: Command }> = {
  'deliveries list': { takes: 0, run: listDead },
  'deliveries replay': { takes: 1, run: replay },
  purge: { takes: 1, run: purge },
}

async function listDead(database: Database): Promise<string> {
  const dead = await listJobs(database.connection(), 'dead', LISTED_MAX)
  if (dead.length === 0) return 'None was given up.\n'
  return dead
    .map(
      (job) =>
        `${job.id}  ${job.attempts} attempts, last at ${job.updated_at.toISOString()}: ${firstLine(job.last_error)}\n`,
    )
    .join('')
}

async function replay(database: Database, id: string): Promise<string> {
  const isRevived = await reviveJob(database.connection(), id, systemClock())
  if (!isRevived) throw new ConfigError(`${id} was not given up; see deliveries list`)
  return `${id} is due again.\n`
}

async function purge(database: Database, named: string): Promise<string> {
  const db = database.connection()
  const found = await repositoriesOf(db, named)
  const [repository] = found
  if (!repository) throw new ConfigError(`nothing is stored of ${named}`)
  if (found.length > 1) {
    const ids = found.map((each) => each.repo_id).join(', ')
    throw new ConfigError(`more than one repository was called ${named}; name one by GitHub's id: ${ids}`)
  }
  await purgeRepository(db, repository.repo_id)
  return `Deleted all that was stored of ${repository.owner}/${repository.name} (${repository.repo_id}).\n`
}

async function repositoriesOf(db: Db, named: string): Promise<RepositoryRow[]> {
  if (/^\d+$/.test(named)) {
    const known = await findRepository(db, Number(named))
    return known ? [known] : []
  }
  const [owner = '', name = ''] = named.split('/')
  return listRepositoriesNamed(db, owner, name)
}

function firstLine(text: string | null): string {
  return text?.split('\n')[0] ?? ''
}

async function main(): Promise<void> {
  const { positionals } = parseArgs({ allowPositionals: true })
  const found = Object.entries(COMMANDS).find(([name, { takes }]) => {
    const words = name.split(' ')
    return positionals.length === words.length + takes && words.every((word, at) => positionals[at] === word)
  })
  if (!found) throw new ConfigError(USAGE)
  const config: Config = readConfig(process.env)
  const database = await openDatabase(config)
  try {
    process.stdout.write(await found[1].run(database, positionals.at(-1) ?? ''))
  } finally {
    await database.close()
  }
}

main().catch((error: unknown) => {
  const isOurs = error instanceof ConfigError || error instanceof DirectoryInUseError
  process.stderr.write(isOurs ? `${error.message}\n` : `failed: ${codeOf(error) ?? (error as Error).stack}\n`)
  process.exit(1)
})
