/** What the page reads from the service. */
import { expect, test } from 'vitest'
import { parseAnswer } from '../../src/page/api.ts'

test('the page removes invisible characters from every text that it reads', () => {
  const activity = { id: 'act_1', title: 'Re\u200btry \u202e\u{e0041}', scope: { paths: ['a\u2066.ts'] } }
  expect(parseAnswer(JSON.stringify(activity))).toEqual({
    id: 'act_1',
    title: 'Retry ',
    scope: { paths: ['a.ts'] },
  })
})

test.each([
  ['', {}],
  ['<html>Bad gateway</html>', undefined],
])('the page reads %j as %j', (text, answer) => {
  expect(parseAnswer(text)).toEqual(answer)
})
