/** The cost of verdicts about lines, for stored file pairs and for hostile patches, and the size of digests. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { mergesWithTruth } from '../../../test/support/merge-oracle.ts'
import { randomMerges } from '../../../test/support/random-merges.ts'
import { recordingsFolder } from '../../../test/support/recordings.ts'
import { readRecording } from '../../replay/pairs.ts'
import { ROOT } from '../child.ts'
import { interleaved, median } from '../measure.ts'
import type { Rig } from '../rig.ts'
import { buildService } from '../service.ts'

/** The number of lines of patches that GitHub returns in one response; each hunk has at least one. */
const HUNKS = 20_000

type Patches = [ours: string, theirs: string]

export async function linesPart(rig: Rig): Promise<void> {
  await buildService()
  const lines = await builtLines()
  const { rounds } = rig.options.sizes
  const { from, pairs } = await patchPairs(rig)
  const stored = pairs.map(([ours, theirs]) => [lines.bytesOf(ours), lines.bytesOf(theirs)] as const)
  const sizes = stored.flat().map((bytes) => bytes.length)
  rig.results.add('lines.bytes', `digest of a file, mean of ${from}`, 'bytes', [
    sizes.reduce((sum, size) => sum + size, 0) / sizes.length,
  ])

  const all = await interleaved(rounds, {
    pair: async () =>
      medianMicroseconds(stored, ([ours, theirs]) => lines.verdictOf(lines.read(ours), lines.read(theirs))),
    digest: async () => medianMicroseconds(pairs, ([ours]) => lines.digest(ours)),
  })
  rig.results.add('lines.pair', 'verdict of a file pair from its stored digests, median', 'µs', all.pair)
  rig.results.add('lines.digest', 'digest of a patch, median', 'µs', all.digest)

  for (const [name, [ours, theirs]] of Object.entries(hostilePatches())) {
    const other = lines.bytesOf(theirs)
    const { ms } = await interleaved(rounds, {
      ms: async () => processorMilliseconds(() => lines.verdictOf(lines.digest(ours), lines.read(other))),
    })
    rig.results.add(
      `lines.hostile.${name.replaceAll(/\W+/g, '-')}`,
      `processor time of a check of ${name}`,
      'ms',
      ms,
    )
  }
}

/** From `dist`, which is what runs in production. */
async function builtLines() {
  const built = (path: string) => import(pathToFileURL(`${ROOT}/dist/server/line-verdicts/${path}`).href)
  const { lineHasher }: typeof import('../../../src/server/line-verdicts/line-hash.ts') =
    await built('line-hash.js')
  const { digestOf }: typeof import('../../../src/server/line-verdicts/digest.ts') = await built('digest.js')
  const bytes: typeof import('../../../src/server/line-verdicts/digest-bytes.ts') =
    await built('digest-bytes.js')
  const { fileVerdict }: typeof import('../../../src/server/line-verdicts/file-verdict.ts') =
    await built('file-verdict.js')
  type Digest = ReturnType<typeof bytes.decodeDigest>
  const hash = lineHasher(new Uint8Array(16).fill(7))
  const digest = (patch: string) => digestOf(patch, hash) as Digest
  const change = (of: Digest) => ({
    path: 'src/a.ts',
    previous_path: null,
    status: 'modified' as const,
    blob_sha: null,
    changed_lines: null,
    digest: of,
  })
  return {
    digest,
    bytesOf: (patch: string) => bytes.encodeDigest(digest(patch)),
    read: bytes.decodeDigest,
    verdictOf: (ours: Digest, theirs: Digest) =>
      fileVerdict(change(ours), change(theirs), { one_base: false, budget: { remaining: 20_000_000 } }),
  }
}

/** Pairs of patches from recorded pull requests, or from generated files if there are no recordings. */
async function patchPairs(rig: Rig): Promise<{ from: string; pairs: Patches[] }> {
  const folder = recordingsFolder()
  if (folder === undefined) {
    rig.say('  no recorded pull requests (set DECONFLICT_PAIRS); using generated files')
    const merges = await mergesWithTruth(
      randomMerges(400, { material: 'code', drifts: true, seed: 1 }),
      'merge-tree',
    )
    return { from: 'generated files', pairs: merges.map((each) => [each.our_patch, each.their_patch]) }
  }
  const recordings = await Promise.all(
    ['containerd', 'numpy'].map((name) => readRecording(join(folder, `${name}.json`))),
  )
  const pairs = recordings.flatMap(({ prs, pairs: all }) => {
    const patchOf = (n: number, path: string) =>
      prs.get(n)?.files.find(({ filename }) => filename === path)?.patch
    return all.flatMap(({ a, b, files }) =>
      files.flatMap((file): Patches[] => {
        const [ours, theirs] = [patchOf(a, file.a), patchOf(b, file.b)]
        return ours && theirs ? [[ours, theirs]] : []
      }),
    )
  })
  return { from: 'recorded pull requests', pairs }
}

function hostilePatches(): Record<string, Patches> {
  const hunks = (text: (at: number) => string, shift = 0) =>
    Array.from({ length: HUNKS }, (_, at) => {
      const line = 2 * at + 1 + shift
      return `@@ -${line} +${line} @@\n-${text(at)}\n+y`
    }).join('\n')
  const whole = (text: (at: number) => string) =>
    `@@ -1,${HUNKS} +1,${2 * HUNKS} @@\n${Array.from({ length: HUNKS }, (_, at) => ` ${text(at)}\n+y`).join('\n')}`
  const same = () => 'same line'
  const different = (at: number) => `line number ${at}`
  return {
    '20,000 equal hunks on both sides': [hunks(same), hunks(same, 1)],
    '20,000 different hunks': [hunks(different), hunks(different, 8)],
    '20,000 hunks in another order': [hunks(different), hunks((at) => different((at * 7919) % HUNKS))],
    'hunks that repeat 100 lines': [
      hunks((at) => different(at % 100)),
      hunks((at) => different(at % 100), 8),
    ],
    'one line 20,000 times': [whole(same), whole(same)],
    '20,000 short lines': [hunks(() => '}'), hunks(() => '}')],
  }
}

function medianMicroseconds<Item>(items: readonly Item[], work: (item: Item) => unknown): number {
  return 1000 * median(items.map((item) => milliseconds(() => work(item))))
}

/** Processor time, because work of many milliseconds is interrupted by other processes. */
function processorMilliseconds(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function milliseconds(work: () => unknown): number {
  const started = performance.now()
  work()
  return performance.now() - started
}
