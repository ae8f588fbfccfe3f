#!/usr/bin/env node
/** `deconflict-admin`: opens the database and runs one command on it. `USAGE` lists the commands and exit codes. */
import { parseArgs } from 'node:util'
import { findCommand, USAGE } from './server/operations/admin/commands.ts'
import { ConfigError, readConfig } from './server/platform/config.ts'
import { DistributeError } from './server/platform/db/distribute.ts'
import { DirectoryError } from './server/platform/db/embedded.ts'
import { codeOf } from './server/platform/db/errors.ts'
import { connectDatabase } from './server/platform/db/open.ts'

/** Returns whether the command found no problems. Throws if it could not run. */
async function main(): Promise<boolean> {
  const { positionals, values } = parseArguments()
  if (values.help) {
    process.stdout.write(USAGE)
    return true
  }
  const command = findCommand(positionals)
  if (!command)
    throw new ConfigError(
      positionals.length === 0
        ? 'no command given; see --help'
        : `no such command: ${positionals.join(' ')}; see --help`,
    )
  const database = await connectDatabase(readConfig(process.env))
  try {
    return await command.run(database, positionals.at(-1) ?? '', (line) => process.stdout.write(`${line}\n`))
  } finally {
    await database.close()
  }
}

function parseArguments() {
  try {
    const options = { help: { type: 'boolean', short: 'h' } } as const
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    throw new ConfigError(`${(error as Error).message.split('.')[0]}; see --help`)
  }
}

/** The failure on one line. The message of a database error is not shown, because it may contain the password. */
function describeError(error: unknown): string {
  if (error instanceof ConfigError || error instanceof DistributeError) return error.message
  if (error instanceof DirectoryError)
    return `${error.message}. Stop the service before running a command on the embedded database`
  const code = codeOf(error)
  if (code === '42P01' || code === '3F000')
    return 'the database has no schema: check DATABASE_URL, or DATA_DIR; or start the service on it once'
  if (code === '40P01') return 'deadlock with the service, nothing was changed; run it again'
  if (code === undefined) return (error as Error).stack ?? String(error)
  return `the database cannot be read (${code}); check DATABASE_URL, or DATA_DIR`
}

main().then(
  (isFreeOfProblems) => {
    process.exitCode = isFreeOfProblems ? 0 : 1
  },
  (error: unknown) => {
    process.stderr.write(`deconflict-admin: ${describeError(error)}\n`)
    process.exit(2)
  },
)
