/** Verdicts about real pull requests, compared with git's results of their merges (docs/line-verdicts.md). */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { comparePairs, readRecording } from '../../scripts/replay/pairs.ts'
import { casesOf, scoreOf } from '../../scripts/replay/summary.ts'
import { encodeDigest } from '../../src/server/line-verdicts/digest-bytes.ts'
import { attributesOf, readGitAttributes } from '../../src/server/line-verdicts/git-attributes.ts'
import { DEFAULT_NOISE } from '../../src/server/line-verdicts/noise.ts'
import { digest } from '../support/lines.ts'
import { recordingsFolder } from '../support/recordings.ts'

const folder = recordingsFolder()
const say = (line: string) => void process.stdout.write(`${line}\n`)
if (folder === undefined)
  say('  skipped: no recorded pull requests in ../shared/pairs; name their folder in DECONFLICT_PAIRS')

describe.skipIf(folder === undefined)('of recorded pull requests', () => {
  const fileOf = (name: string) => join(folder as string, `${name}.json`)

  test.each([
    // A generated descriptor. The recording contains no .gitattributes.
    ['containerd', 'api/next.txtpb linguist-generated', { precision: 98.7, recall: 91.7 }],
    ['numpy', '', { precision: 100, recall: 100 }],
  ])('the verdicts about the files of %s agree with git', async (name, attributes, least) => {
    const recording = await readRecording(fileOf(name))
    const noise = { ...DEFAULT_NOISE, attributes: attributesOf(readGitAttributes(attributes)) }
    const { byFile, byPair } = casesOf(recording, comparePairs(recording, noise))
    for (const [what, cases] of [
      ['files', byFile],
      ['pairs', byPair],
    ] as const) {
      const [likely, proved] = [scoreOf(cases, 'likely'), scoreOf(cases, 'proved')]
      say(
        `  ${name}, ${cases.length} ${what}: ${likely.precision.toFixed(1)} / ${likely.recall.toFixed(1)} %, proved only ${proved.precision.toFixed(1)} / ${proved.recall.toFixed(1)} %`,
      )
    }
    const { precision, recall } = scoreOf(byFile, 'likely')
    expect(precision).toBeGreaterThanOrEqual(least.precision)
    expect(recall).toBeGreaterThanOrEqual(least.recall)
    expect(scoreOf(byFile, 'proved').alarms).toBe(0)
  })

  test('a digest takes 250 bytes at most on average', async () => {
    const all = await Promise.all(['containerd', 'numpy'].map((name) => readRecording(fileOf(name))))
    const patches = all.flatMap(({ prs }) =>
      [...prs.values()].flatMap(({ files }) => files.flatMap(({ patch }) => patch ?? [])),
    )
    const bytes = patches.reduce((sum, patch) => sum + encodeDigest(digest(patch)).length, 0)
    say(`  ${patches.length} digests: ${(bytes / patches.length).toFixed(1)} bytes on average`)
    expect(bytes / patches.length).toBeLessThanOrEqual(250)
  })
})
