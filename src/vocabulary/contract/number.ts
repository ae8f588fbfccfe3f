/** Schemas of `POST …/activity/{id}/number`. */
import { z } from 'zod'
import { isMachinePath, MACHINE_PATH } from '../scope/limits.ts'
import { about, object, sample, text } from './field.ts'

/** Of four bytes each, they fit into an index of PostgreSQL. */
const DIRECTORY_LENGTH_MAX = 600

/** The directory relative to the root, without `./` before and `/` after it; empty for the root. */
const directory = text(1, DIRECTORY_LENGTH_MAX)
  .refine((path) => !isMachinePath(path), { error: MACHINE_PATH })
  .refine((path) => !path.split('/').includes('..'), { error: 'must not contain `..`' })
  .overwrite((path) =>
    path
      .split('/')
      .filter((each) => each !== '' && each !== '.')
      .join('/'),
  )
  .meta(about('The directory of the new file, relative to the root of the repository.', 'db/migrations'))

export const ReserveNumber = object('ReserveNumber', { directory })
export type ReserveNumber = z.output<typeof ReserveNumber>

export const ReservedNumber = object('ReservedNumber', {
  number: sample('The reserved number, as text in the width that the directory uses.', '0043'),
  directory: sample('The directory.', 'db/migrations'),
  taken: z
    .array(
      object('TakenNumber', {
        number: sample('A number that was not free.', '0042'),
        by: sample(
          'Who holds it: a pull request such as `#12`, the id of an activity, or `base` for the base branch.',
          '#12',
        ),
      }),
    )
    .describe(
      'The numbers that live work holds or has reserved, and the highest one of the base branch; the highest first, at most 100.',
    ),
})
export type ReservedNumber = z.output<typeof ReservedNumber>
