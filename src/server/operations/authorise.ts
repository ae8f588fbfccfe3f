/** Whether a caller may perform an operation on a repository (docs/contract/access.md). */
import { isId } from '../../vocabulary/contract/id.ts'
import type { Operation } from '../../vocabulary/contract/operation.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { mayAccess, type VisibleRepository } from '../github/repository-lists.ts'
import type { App } from '../records/repositories/app.ts'
import type { Caller } from './admission.ts'

/** What is asked for. `id`: empty if the path has none. */
interface Request {
  caller: Caller
  owner: string
  repo: string
  id: string
}

/**
 * Admits the caller and returns the repository if the caller has the permission that the operation needs. Throws
 * `forbidden`, `not_found`, and whatever `Caller.admit` throws.
 */
export async function authorise(
  app: App,
  operation: Pick<Operation, 'access' | 'record'>,
  { caller, owner, repo: name, id }: Request,
): Promise<VisibleRepository> {
  const { access, record } = operation
  const repository = await caller.admit((token) => app.access.repository(token, { owner, name, access }))
  if (!repository) {
    if (record)
      throw new Failure(
        'not_found',
        `the ${NOUNS[record]} does not exist, or this token cannot access its repository`,
      )
    throw new Failure(
      'forbidden',
      'this token cannot access the repository; check the owner, the name and the permissions of the token',
    )
  }
  if (!mayAccess(repository, access)) throw new Failure('forbidden', DENIED[access])
  if (record && !isId(record, id))
    throw new Failure(
      'not_found',
      `the ${NOUNS[record]} does not exist; its id must be ${record}_ followed by 26 characters`,
    )
  return repository
}

const DENIED = {
  read: '',
  write: 'this token can only read the repository; use a token with push access to it',
  admin: 'this token cannot administer the repository; use that of somebody with admin permission on it',
}

const NOUNS = { act: 'activity', ntb: 'notable' } as const
