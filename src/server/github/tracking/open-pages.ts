/** The pages of open pull requests, read with the ETags of the last time. */

import type { ConditionalReads } from '../../records/repositories/etags-store.ts'
import { type ListLimits, listOpenPage, type Reader, type RepositoryName } from '../repository-calls.ts'

/** All pages; undefined if none of them changed. One call per page, and another one per unchanged page if any changed. */
export async function openIfChanged(
  reader: Reader,
  repo: RepositoryName,
  { reads, limits }: { reads: ConditionalReads; limits: ListLimits },
) {
  const pages: (OpenPage | undefined)[] = []
  for (let isLast = false; !isLast; ) {
    const number = pages.length + 1
    const page = await reads.read(addressOf(number), (headers) =>
      listOpenPage(reader, repo, { page: number, limits, headers }),
    )
    pages.push(page)
    isLast = page ? page.length < limits.page : !reads.has(addressOf(number + 1))
  }
  if (pages.every((page) => page === undefined)) return undefined
  const all: OpenPage[] = []
  for (const [index, page] of pages.entries())
    all.push(page ?? (await listOpenPage(reader, repo, { page: index + 1, limits })).data)
  return all
}

type OpenPage = Awaited<ReturnType<typeof listOpenPage>>['data']

function addressOf(page: number): string {
  return `pulls?page=${page}`
}
