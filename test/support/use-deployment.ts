/** What the tests of processes in one file share: a fake GitHub, and a database. */
import { freshDatabase } from './database.ts'
import { startDeployment } from './deployment.ts'
import { useStarted } from './use-started.ts'

/** Its services end with it. */
export const useDeployment = (names?: string[]) =>
  useStarted(
    () => startDeployment(names),
    (deployment) => deployment.close(),
  )

/** Call it before `useDeployment`, whose services use it: what begins first ends last. */
export const useDatabase = () => useStarted(freshDatabase, (database) => database.drop())
