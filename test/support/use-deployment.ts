/** What the tests of processes in one file share: a fake GitHub, and a database. */
import { afterAll, beforeAll } from 'vitest'
import { type FreshDatabase, freshDatabase } from './database.ts'
import { type Deployment, startDeployment } from './deployment.ts'

/** Starts it before the tests of a file, and closes it, with its services, at the end. */
export function useDeployment(names?: string[]): Deployment {
  const deployment = {} as Deployment
  beforeAll(async () => {
    Object.assign(deployment, await startDeployment(names))
  })
  afterAll(() => deployment.close())
  return deployment
}

/** Call it before `useDeployment`, whose services use it: what begins first ends last. */
export function useDatabase(): FreshDatabase {
  const database = {} as FreshDatabase
  beforeAll(async () => {
    Object.assign(database, await freshDatabase())
  })
  afterAll(() => database.drop())
  return database
}
