/** The schema of `GET …/merge-order`. */
import { z } from 'zod'
import { integer, object, sample, texts } from './field.ts'

export const MergeOrder = object('MergeOrder', {
  items: z
    .array(
      object('MergeOrderItem', {
        activity_id: sample('The activity of the pull request.', 'act_01h455vb4pex5vsknk084sn02q'),
        pr_url: sample('The pull request.', 'https://github.com/acme/shop/pull/12'),
        conflicts_with: texts(
          'The items whose changed lines conflict with its own, or that take the same number or parent, in this order.',
        ).meta({ examples: [['act_01h455vb4pex5vsknk084sn02s']] }),
        position: integer('When to merge it: 1 is first.'),
        reason: z
          .string()
          .describe('Why it has this place, in words for people.')
          .meta({ examples: ['2 conflicts: #12 and #14; 60 changed lines; built on #9'] }),
      }),
    )
    .describe(
      'The open pull requests that conflict with others by their lines. Those with the fewest conflicts come first, of equals the one that changes more lines, then more files. A stacked pull request comes after those that it is built on.',
    ),
  clear: texts('The activities of the open pull requests that conflict with no other one, the newest first.'),
  complete: z
    .literal(false)
    .optional()
    .describe(
      'Only present if pull requests may have conflicts that are not listed: not all were compared, or not all lines that they change are known.',
    ),
  reason: z
    .string()
    .optional()
    .describe('Only present with `complete`: what was left out and why, in words for people.'),
})
export type MergeOrder = z.output<typeof MergeOrder>
