/** Words for the signal report: shares, and what to do about each class of noise. Pure. */
import type { NoiseClass } from '../vocabulary/noise-names.ts'
import type { Signal } from './records.ts'

/** `61 %`. */
export function percentText(share: number): string {
  return `${Math.round(100 * share)} %`
}

const NOISE: Record<NoiseClass, { files: string; cure: string }> = {
  lock: { files: 'lock files', cure: 'rebase and let the package manager write them again' },
  vendored: { files: 'vendored code', cure: 'update it in pull requests of its own' },
  generated: { files: 'generated files', cure: 'generate them in the build instead of committing them' },
  snapshot: { files: 'snapshots', cure: 'rebase and record them again' },
  changelog: { files: 'changelogs', cure: 'use news fragments, or merge=union in .gitattributes' },
  manifest: { files: 'module manifests', cure: 'rebase and run go mod tidy' },
  binary: { files: 'binary files', cure: 'agree on one author at a time, or use the locks of Git LFS' },
}

/**
 * The share of each class of noise, the largest first, among all recorded pairs: those with a conflict or a duplicate, and
 * those that share only noise.
 */
export function noiseShares({ noise, recorded }: Pick<Signal, 'noise' | 'recorded'>) {
  const classes = Object.entries(noise) as [NoiseClass, number][]
  const all = classes.reduce((sum, [, pairs]) => sum + pairs, recorded)
  return classes
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, pairs]) => ({ noise: name, share: pairs / all, ...NOISE[name] }))
}
