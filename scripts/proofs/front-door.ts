/** The pull requests of a measurement, opened on a fake GitHub that sends its webhooks to the real service. */
import { installationEvent, pullRequestEvent } from '../../test/support/webhooks.ts'
import { fileEntries } from '../replay/changed-files.ts'
import { gitIn } from '../replay/git.ts'
import { type LiveService, startLiveService } from '../replay/live/service.ts'
import type { Branch, SeededClone } from './branches.ts'
import { git } from './edits.ts'

export const FULL_NAME = 'seeded/repository'
export const TOKEN = 'ada'

/** A service that knows all pull requests. */
export async function openAll({ remote, base, seeds, reverts }: SeededClone): Promise<LiveService> {
  const service = await startLiveService(FULL_NAME, new Date())
  const world = service.github.github
  world.token(TOKEN, { login: 'ada', id: 1, permissions: { [FULL_NAME]: 'write' } })
  const repository = world.at(FULL_NAME)
  const installation = world.app.install({ repositories: [FULL_NAME] })
  await service.deliver(installationEvent(world, installation, 'created'))
  const branches: Branch[] = [...reverts, ...seeds.flatMap(({ one, other }) => [one, other])]
  const treeOf = (commit: string) => git(remote, 'rev-parse', `${commit}^{tree}`)
  const from = await treeOf(base)
  const trees = await Promise.all(branches.map(async ({ head }) => ({ from, to: await treeOf(head) })))
  let at = 0
  for await (const files of fileEntries(gitIn(remote, false), trees)) {
    const { number, head, title } = branches[at++] as Branch
    const pull = repository.open({
      number,
      title,
      head: `branch-${number}`,
      author: `author-${number}`,
      files: files.map(({ filename, previous_filename, status, sha, patch }) => ({
        filename,
        status: (status ?? 'modified') as 'modified',
        ...(previous_filename && { previous_filename }),
        ...(sha && { sha }),
        patch: patch ?? null,
      })),
    })
    const contents = world.state.repository_contents.get(repository.repository.id)
    contents?.commits.set(head, {})
    contents?.branches.set(`branch-${number}`, head)
    pull.head.sha = head
    await service.deliver(pullRequestEvent(world, FULL_NAME, number, 'opened'))
  }
  return service
}
