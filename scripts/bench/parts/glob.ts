/** Glob intersection: on real-world globs, next to automata and sampling, and on hostile ones. */
import { pathToFileURL } from 'node:url'
import type { Budget } from '../../../src/vocabulary/budget.ts'
import type { Glob } from '../../../src/vocabulary/scope/glob.ts'
import { ROOT } from '../child.ts'
import { automataOverlap, automatonOf, sampledOf, samplesOverlap } from '../glob-peers.ts'
import { HOSTILE, REAL_GLOBS } from '../globs.ts'
import { interleaved } from '../measure.ts'
import type { Rig } from '../rig.ts'

/** Length of the longest hostile globs; the contract allows 512 characters. */
const LONGEST = 420
const plenty = () => ({ remaining: 1_000_000_000 })

export async function globPart(rig: Rig): Promise<void> {
  // From `dist`, which is what runs in production.
  const built = (path: string) => import(pathToFileURL(`${ROOT}/dist/${path}`).href)
  const { alternativesOf, parseGlob }: typeof import('../../../src/vocabulary/scope/glob.ts') =
    await built('vocabulary/scope/glob.js')
  const { alternativesOverlap }: typeof import('../../../src/vocabulary/scope/intersect.ts') = await built(
    'vocabulary/scope/intersect.js',
  )
  const overlaps = (a: Glob, b: Glob, budget: Budget) => {
    const others = alternativesOf(b, budget)
    return alternativesOf(a, budget).some((x) => others.some((y) => alternativesOverlap(x, y, budget)))
  }
  const { rounds, round_ms } = rig.options.sizes
  const decide = (a: string, b: string) => overlaps(parseGlob(a), parseGlob(b), plenty())

  const own = REAL_GLOBS.map((each) => parseGlob(each))
  const automata = REAL_GLOBS.map(automatonOf)
  const sampled = REAL_GLOBS.map(sampledOf)
  const perPair = (overlap: (a: number, b: number) => boolean) => async () => nsPerPair(overlap, round_ms)
  const all = await interleaved(rounds, {
    own: perPair((a, b) => overlaps(own[a] as never, own[b] as never, plenty())),
    refa: perPair((a, b) => automataOverlap(automata[a] as never, automata[b] as never)),
    picomatch: perPair((a, b) => samplesOverlap(sampled[a] as never, sampled[b] as never)),
  })
  const label = `${REAL_GLOBS.length} × ${REAL_GLOBS.length} real-world globs, per pair`
  rig.results.add('glob.own', `${label}, exact decision`, 'ns', all.own)
  rig.results.add('glob.refa', `${label}, refa`, 'ns', all.refa)
  rig.results.add('glob.picomatch', `${label}, sampling with picomatch`, 'ns', all.picomatch)

  const pairs = REAL_GLOBS.flatMap((_, a) => REAL_GLOBS.map((__, b) => [a, b] as const))
  const overlapping = pairs.filter(([a, b]) => decide(REAL_GLOBS[a] as string, REAL_GLOBS[b] as string))
  const missed = overlapping.filter(([a, b]) => !samplesOverlap(sampled[a] as never, sampled[b] as never))
  const differing = pairs.filter(
    ([a, b]) =>
      automataOverlap(automata[a] as never, automata[b] as never) !==
      decide(REAL_GLOBS[a] as string, REAL_GLOBS[b] as string),
  )
  rig.results.add('glob.missed', 'share of overlapping pairs that sampling misses', '%', [
    (missed.length / overlapping.length) * 100,
  ])
  rig.results.add('glob.differs', 'share of pairs on which refa disagrees', '%', [
    (differing.length / pairs.length) * 100,
  ])

  const lengths = [LONGEST / 2, LONGEST]
  for (const [name, make] of Object.entries(HOSTILE)) {
    const prepared = lengths.map((length) => make(length).map((each) => parseGlob(each)))
    const timed = prepared.map(([a, b]) => async () => {
      const once = () => overlaps(a as never, b as never, plenty())
      return nsPerCall(once, round_ms / 4) / 1e6
    })
    const [short, long] = timed as [() => Promise<number>, () => Promise<number>]
    const figures = await interleaved(rounds, { short, long })
    const id = `glob.hostile.${name.replaceAll(/\W+/g, '-')}`
    rig.results.add(`${id}.short`, `${name}, ${lengths[0]} characters`, 'ms', figures.short)
    rig.results.add(`${id}.long`, `${name}, ${lengths[1]} characters`, 'ms', figures.long)
  }
}

/** Repeatedly intersects every glob with every other. */
function nsPerPair(overlap: (a: number, b: number) => boolean, ms: number): number {
  let found = 0
  const sweep = () => {
    for (let a = 0; a < REAL_GLOBS.length; a++)
      for (let b = 0; b < REAL_GLOBS.length; b++) if (overlap(a, b)) found++
  }
  const ns = nsPerCall(sweep, ms)
  // Using the count keeps the compiler from eliminating the work.
  if (found === 0) throw new Error('no two globs overlap')
  return ns / REAL_GLOBS.length ** 2
}

function nsPerCall(work: () => unknown, ms: number): number {
  const started = performance.now()
  let calls = 0
  do {
    work()
    calls++
  } while (performance.now() - started < ms)
  return ((performance.now() - started) / calls) * 1e6
}
