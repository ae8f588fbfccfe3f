/** A comment that somebody deleted: it counts neither as made nor as shown, and waits for a new pair. */
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { pairs } from '../../src/server/ledger/table.ts'
import { editOfPay } from '../support/lines.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'
import { commentEvent } from '../support/webhooks.ts'

const { fixture, github, repository } = usePullRequests()

const shown = async () => {
  const db = fixture.service.app.database.connection()
  const rows = await db.select().from(pairs).where(eq(pairs.repo_id, repository.id)).orderBy(pairs.second)
  return rows.map(({ first, first_shown_at, second, second_shown_at }) =>
    [first_shown_at && first, second_shown_at && second].filter(Boolean),
  )
}
const signal = async () => {
  const { commented, pairs: counted } = (await repository.request('GET', '/signal')).body
  return { commented, shown: counted.shown }
}

let number = 0
beforeEach(async () => {
  await repository.openBranch('retries', editOfPay(40, ['retry()']))
  await repository.advance(1000)
  number = await repository.openBranch('tidy', editOfPay(41, ['tidy()']))
  expect(await shown()).toEqual([[`#${number}`]])
  expect(await signal()).toEqual({ commented: 1, shown: 1 })
})

const deleteComment = () => {
  const [comment] = repository.githubRepo.comments(number)
  repository.githubRepo.removeComment(comment?.id as number)
  return comment?.id as number
}
const edited = async () => {
  await repository.advance(QUIET_MS)
  await repository.push(number, [editOfPay(40, ['tidy()', 'more()'])])
  await repository.advance(QUIET_MS)
}

describe.each([
  [
    'its webhook',
    async () => {
      const id = deleteComment()
      await fixture.service.deliverAndRun(
        commentEvent(github, repository.full_name, number, { id, action: 'deleted' }),
      )
    },
  ],
  [
    'the next edit',
    async () => {
      deleteComment()
      await edited()
    },
  ],
])('after %s, a deleted comment', (_, notice) => {
  test('counts neither as a comment nor as shown', async () => {
    await notice()
    expect(await shown()).toEqual([[]])
    expect(await signal()).toEqual({ commented: 0, shown: 0 })
  })

  test('is not made again by pushes while there is no new pair', async () => {
    await notice()
    await edited()
    expect(repository.comment(number)).toBeUndefined()
    expect(await shown()).toEqual([[]])
  })

  test('is made again for a new pair that this side brings about', async () => {
    await notice()
    await repository.openBranch('third', editOfPay(80, ['third()']))
    await repository.advance(1000)
    await repository.push(number, [editOfPay(41, ['tidy()']), editOfPay(80, ['tidy()'], 'src/till.ts')])
    expect(repository.comment(number)).toBeUndefined()
    await repository.push(number, [
      {
        ...editOfPay(41, ['tidy()']),
        patch: `${editOfPay(41, ['tidy()']).patch}\n${editOfPay(80, ['x()']).patch}`,
      },
    ])
    await repository.advance(QUIET_MS)
    expect(repository.comment(number)).toContain('Severity: ')
    expect(await signal()).toMatchObject({ commented: 1 })
  })
})

test('a pair that was found after the comment was written makes a new one when the edit finds it deleted', async () => {
  await repository.openBranch('third', editOfPay(80, ['third()']))
  deleteComment()
  await repository.advance(QUIET_MS)
  const both = `${editOfPay(41, ['tidy()']).patch}\n${editOfPay(80, ['x()']).patch}`
  await repository.push(number, [{ ...editOfPay(41, ['tidy()']), patch: both }])
  await repository.advance(QUIET_MS)
  expect(repository.comment(number)).toContain('Severity: ')
})

test('the deletion of another comment changes nothing', async () => {
  await fixture.service.deliverAndRun(
    commentEvent(github, repository.full_name, number, { id: 1, action: 'deleted' }),
  )
  expect(await signal()).toEqual({ commented: 1, shown: 1 })
})

test('other events of comments are not stored', async () => {
  const webhook = commentEvent(github, repository.full_name, number, { id: 1, action: 'created' })
  expect(await fixture.service.deliver(webhook)).toEqual({ status: 202, outcome: 'ignored' })
})
