/** Summarizes a replay, and compares it with git's results in the recording. */
import type { FileVerdict } from '../../src/engine/lines/pair-verdict.ts'
import { VERDICTS } from '../../src/vocabulary/verdict.ts'
import type { ComparedPair, Recording } from './pairs.ts'

type Called = Pick<FileVerdict, 'verdict' | 'confidence'>

/** Precision and recall in percent. */
export interface Score {
  precision: number
  recall: number
  /** Conflicts that were found, false alarms, and conflicts that were missed. */
  found: number
  alarms: number
  missed: number
}

export function scoreOf(
  cases: { compared: Called; is_conflict: boolean }[],
  least: 'likely' | 'proved',
): Score {
  const isCalled = ({ verdict, confidence }: Called) =>
    verdict === 'conflict' && (least === 'likely' || confidence === 'proved')
  const called = cases.filter(({ compared }) => isCalled(compared))
  const found = called.filter(({ is_conflict }) => is_conflict).length
  const alarms = called.length - found
  const missed = cases.filter(({ is_conflict }) => is_conflict).length - found
  return { precision: percent(found, alarms), recall: percent(found, missed), found, alarms, missed }
}

function percent(part: number, rest: number): number {
  return part + rest === 0 ? 100 : (100 * part) / (part + rest)
}

/** The files that are not noise and have a result of git, and the pairs whose files all have one. */
export function casesOf({ pairs }: Recording, compared: readonly ComparedPair[]) {
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
  const scores = [
    ['files', byFile],
    ['pairs', byPair],
  ] as const
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
  const { precision, recall, found, alarms, missed } = scoreOf(cases, least)
  const called = least === 'likely' ? 'proved and likely' : 'proved only'
  return `${cases.length} ${what}, ${called}: precision ${precision.toFixed(1)} %, recall ${recall.toFixed(1)} % (${found} found, ${alarms} false alarms, ${missed} missed)`
}
