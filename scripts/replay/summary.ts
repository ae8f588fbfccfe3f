/** Summarizes a replay, and compares it with git's results in the recording. */
import type { FileVerdict } from '../../src/engine/lines/pair-verdict.ts'
import { VERDICTS } from '../../src/vocabulary/verdict.ts'
import { scoreOf } from './markdown.ts'
import type { ComparedPair, Recording } from './pairs.ts'

type Called = Pick<FileVerdict, 'verdict' | 'confidence'>

/** The files that are not noise and have a result of git, and the pairs whose files all have one. */
function casesOf({ pairs }: Recording, compared: readonly ComparedPair[]) {
  const byFile: { compared: Called; is_conflict: boolean; path: string; a: number; b: number }[] = []
  const byPair: { compared: Called; is_conflict: boolean; a: number; b: number }[] = []
  for (const [index, { a, b, files }] of pairs.entries()) {
    const pair = compared[index] as ComparedPair
    const verdicts = new Map(pair.files.map((file) => [file.path, file]))
    const real = files.filter((file) => verdicts.get(file.a)?.verdict !== 'noise')
    for (const { a: path, pair: truth } of real) {
      const file = verdicts.get(path)
      if (file && (truth === 'conflict' || truth === 'clean'))
        byFile.push({ compared: file, is_conflict: truth === 'conflict', path, a, b })
    }
    const is_conflict = real.some((file) => file.pair === 'conflict')
    if (is_conflict || (real.length > 0 && real.every((file) => file.pair === 'clean')))
      byPair.push({ compared: pair, is_conflict, a, b })
  }
  return { byFile, byPair }
}

export function summaryOf(recording: Recording, compared: readonly ComparedPair[], ms: number): string {
  const counts = VERDICTS.flatMap((verdict) => {
    const all = compared.filter((pair) => pair.verdict === verdict)
    const proved = all.filter((pair) => pair.confidence === 'proved').length
    const note = verdict === 'conflict' ? ` (${proved} proved)` : ''
    return all.length > 0 ? [`${verdict} ${all.length}${note}`] : []
  })
  const duplicates = compared.filter((pair) => pair.duplicates.length > 0).length
  const { byFile, byPair } = casesOf(recording, compared)
  const scores = Object.entries({ files: byFile, pairs: byPair })
  return [
    `${compared.length} pairs in ${ms.toFixed(0)} ms: ${counts.join(', ')}; duplicates ${duplicates}`,
    ...scores.flatMap(([what, cases]) =>
      cases.length > 0 ? (['likely', 'proved'] as const).map((least) => scoreLine(what, cases, least)) : [],
    ),
  ].join('\n')
}

function scoreLine(
  what: string,
  cases: { compared: Called; is_conflict: boolean }[],
  least: 'likely' | 'proved',
) {
  const isCalled = ({ compared: { verdict, confidence } }: (typeof cases)[number]) =>
    verdict === 'conflict' && (least === 'likely' || confidence === 'proved')
  const [scores, counts] = scoreOf(cases, isCalled, ({ is_conflict }) => is_conflict)
  const called = least === 'likely' ? 'proved and likely' : 'proved only'
  return `${cases.length} ${what}, ${called}: precision / recall ${scores} % (found, false alarms, missed: ${counts})`
}
