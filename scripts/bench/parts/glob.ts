/** Whether two globs share a path: the decision on real-world globs, beside automata and sampling, and on hostile ones (goal 8). */
import { pathToFileURL } from 'node:url'
import { ROOT } from '../child.ts'
import { automataMeet, automatonOf, sampledOf, samplesMeet } from '../glob-peers.ts'
import { HOSTILE, REAL_GLOBS } from '../globs.ts'
import { interleaved } from '../measure.ts'
import type { Rig } from '../rig.ts'

/** Characters of the longest hostile globs; the contract allows for 512. */
const LONGEST = 420
const plenty = () => ({ remaining: 1_000_000_000 })

export async function globPart(rig: Rig): Promise<void> {
  // From `dist`, which is what runs in production.
  const built = (path: string) => import(pathToFileURL(`${ROOT}/dist/${path}`).href)
  const { parseGlob }: typeof import('../../../src/scope/glob.ts') = await built('scope/glob.js')
  const { overlaps }: typeof import('../../../src/scope/intersect.ts') = await built('scope/intersect.js')
  const { rounds, round_ms } = rig.options.sizes
  const decide = (a: string, b: string) => overlaps(parseGlob(a), parseGlob(b), plenty())

  const own = REAL_GLOBS.map((each) => parseGlob(each))
  const automata = REAL_GLOBS.map(automatonOf)
  const sampled = REAL_GLOBS.map(sampledOf)
  const perPair = (meet: (a: number, b: number) => boolean) => async () => nsPerPair(meet, round_ms)
  const all = await interleaved(rounds, {
    own: perPair((a, b) => overlaps(own[a] as never, own[b] as never, plenty())),
    refa: perPair((a, b) => automataMeet(automata[a] as never, automata[b] as never)),
    picomatch: perPair((a, b) => samplesMeet(sampled[a] as never, sampled[b] as never)),
  })
  const label = `${REAL_GLOBS.length} × ${REAL_GLOBS.length} real-world globs, a pair`
  rig.results.add('glob.own', `${label}, exact decision`, 'ns', all.own)
  rig.results.add('glob.refa', `${label}, refa`, 'ns', all.refa)
  rig.results.add('glob.picomatch', `${label}, sampling with picomatch`, 'ns', all.picomatch)

  const pairs = REAL_GLOBS.flatMap((_, a) => REAL_GLOBS.map((__, b) => [a, b] as const))
  const meeting = pairs.filter(([a, b]) => decide(REAL_GLOBS[a] as string, REAL_GLOBS[b] as string))
  const missed = meeting.filter(([a, b]) => !samplesMeet(sampled[a] as never, sampled[b] as never))
  const other = pairs.filter(
    ([a, b]) =>
      automataMeet(automata[a] as never, automata[b] as never) !==
      decide(REAL_GLOBS[a] as string, REAL_GLOBS[b] as string),
  )
  rig.results.add('glob.missed', 'of the pairs that overlap, sampling misses', '%', [
    (missed.length / meeting.length) * 100,
  ])
  rig.results.add('glob.differs', 'of all pairs, refa decides otherwise', '%', [
    (other.length / pairs.length) * 100,
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

/** Every glob with every other, again and again. */
function nsPerPair(meet: (a: number, b: number) => boolean, ms: number): number {
  let met = 0
  const sweep = () => {
    for (let a = 0; a < REAL_GLOBS.length; a++)
      for (let b = 0; b < REAL_GLOBS.length; b++) if (meet(a, b)) met++
  }
  const ns = nsPerCall(sweep, ms)
  // The figure is used, so that nothing of the work can be left out.
  if (met === 0) throw new Error('no two globs overlap')
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
