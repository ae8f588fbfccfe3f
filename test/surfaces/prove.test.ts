/** `deconflict prove` in a clone, with the service and a remote that has the pull requests. */
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startGitServer } from '../support/git-server.ts'
import { editOf } from '../support/lines.ts'
import { usePullRequests } from '../support/pull-request-service.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { type Ran, type WorkingTree, workingTree } from '../support/working-tree.ts'

const { fixture, repository } = usePullRequests()

/** Two functions on the base, 40 lines apart; a run fails if one that is called is not defined. */
const BASE = [
  'pay() { echo paid; }',
  ...Array.from({ length: 30 }, (_, at) => `# ${at}`),
  'pay',
  ...Array.from({ length: 5 }, (_, at) => `# end ${at}`),
]
const COMMAND = ['--', 'sh', '-c', 'set -e; . ./shop.sh; echo run >> "$RUNS"']

let tree: WorkingTree
let remote: Awaited<ReturnType<typeof temporaryDirectory>>
let runs: string

beforeEach(async () => {
  remote = await temporaryDirectory('remote')
  runs = join(remote.path, 'runs')
  tree = await workingTree({
    DECONFLICT_URL: fixture.service.url,
    GITHUB_TOKEN: 'ada',
    RUNS: runs,
    TMPDIR: remote.path,
  })
  await promisify(execFile)('git', ['init', '-q', '--bare', '-b', 'main', join(remote.path, 'origin.git')])
  await tree.git('remote', 'set-url', 'origin', join(remote.path, 'origin.git'))
  await commitLines('main', BASE)
  await tree.git('push', '-q', 'origin', 'main')
})
afterEach(async () => {
  await tree.remove()
  await remote.remove()
})

async function commitLines(branch: string, lines: readonly string[]): Promise<string> {
  if (branch !== 'main') await tree.git('checkout', '-q', '-b', branch, 'main')
  await tree.write({ 'shop.sh': `${lines.join('\n')}\n` })
  await tree.git('add', '-A')
  await tree.git('commit', '-q', '-m', branch)
  const sha = await tree.git('rev-parse', 'HEAD')
  await tree.git('checkout', '-q', 'main')
  return sha
}

/** Opens a pull request that replaces one line of the base, with the real commit as its head. */
async function open(head: string, at: number, added: string[]): Promise<number> {
  const lines = BASE.toSpliced(at - 1, 1, ...added)
  const sha = await commitLines(head, lines)
  const files = [{ filename: 'shop.sh', status: 'modified', patch: editOf(BASE, at, 1, added) } as const]
  const { number } = repository.githubRepo.open({ head, files, author: `author-of-${head}` })
  repository.githubRepo.pull(number).head.sha = sha
  await tree.git('push', '-q', 'origin', `${sha}:refs/pull/${number}/head`)
  await repository.deliver(number, 'opened')
  return number
}

/** One renames the function, the other adds a call of the old name: git merges both. */
async function openBreaking() {
  const rename = await open('rename', 1, ['charge() { echo paid; }', 'pay() { charge; }'])
  const drop = await open('call', 32, ['pay', 'charge_twice 2>/dev/null || pay'])
  return [rename, drop] as const
}

const prove = (args: string[], options?: Parameters<WorkingTree['run']>[1]): Promise<Ran> =>
  tree.run(['prove', '--repo', repository.full_name, ...args], options)
const proveJson = async (number: number, ...args: string[]) => {
  const ran = await prove(['--pull-request', `${number}`, '--json', ...args])
  return { ...ran, answer: ran.stdout === '' ? null : JSON.parse(ran.stdout) }
}
const countRuns = async () => (await readFile(runs, 'utf8').catch(() => '')).split('\n').length - 1
const leftovers = async () => ({
  worktrees: (await tree.git('worktree', 'list')).split('\n').length,
  refs: await tree.git('for-each-ref', 'refs/deconflict'),
  directories: (await readdir(remote.path)).filter((name) => name.startsWith('deconflict-prove-')),
})
const CLEAN = { worktrees: 1, refs: '', directories: [] }

describe('a pair that passes', () => {
  test('is reported after one run of its merge', async () => {
    const [, second] = await openBreaking()
    const { code, answer } = await proveJson(second, ...COMMAND)
    expect(code).toBe(0)
    expect(answer.pairs).toMatchObject([{ result: 'passed', note: null }])
    expect(await countRuns()).toBe(1)
    expect((await prove(['--pull-request', `${second}`, ...COMMAND])).stdout).toBe(
      `No pairs to prove for #${second}.\n`,
    )
    expect(await leftovers()).toEqual(CLEAN)
  })
})

test.each([
  ['keeps no credentials', undefined],
  ['keeps credentials that have expired', 'AUTHORIZATION: basic ZXhwaXJlZA=='],
])('in a workflow run whose checkout %s, fetches with the token of the run', async (_, kept) => {
  const [, second] = await openBreaking()
  const server = await startGitServer(remote.path, 'ada')
  try {
    await tree.git('remote', 'set-url', 'origin', `${server.url}/origin.git`)
    if (kept !== undefined) await tree.git('config', `http.${server.url}/.extraheader`, kept)
    const numbered = ['--pull-request', `${second}`]
    const outside = await prove([...numbered, ...COMMAND])
    expect(outside.stderr).toMatch(/^deconflict: git fetch failed: /)
    const env = { GITHUB_ACTIONS: 'true', GITHUB_SERVER_URL: server.url }
    const seen = join(remote.path, 'seen')
    const ran = await prove([...numbered, '--', 'sh', '-c', `env | grep -c extraheader > ${seen}; true`], {
      env,
    })
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('pass together')
    expect(await readFile(seen, 'utf8')).toBe('0\n')
  } finally {
    await server.close()
  }
})

test('a pair that git cannot merge makes room for the next one', async () => {
  const [rename, call] = await openBreaking()
  const stale = await open('stale', 12, ['# stale'])
  await commitLines('main', BASE.toSpliced(11, 1, '# newer'))
  await tree.git('push', '-q', 'origin', 'main')
  const { answer } = await proveJson(call, '--pairs', '1', ...COMMAND)
  expect(answer.pairs).toMatchObject([
    { pull_requests: [call, stale], result: null, note: 'git cannot merge them' },
    { pull_requests: [call, rename], result: 'passed', note: null },
  ])
  expect(await countRuns()).toBe(1)
})

describe('a pair of which one removes what the other uses', () => {
  const openFailing = async () => {
    const rename = await open('rename', 1, ['charge() { echo paid; }', 'pay() { charge; }', 'old=gone'])
    const use = await open('use', 32, ['pay', 'test -z "$old"'])
    return [rename, use] as const
  }

  test('fails together: the merge is run twice, then the base and each side', async () => {
    const [rename, use] = await openFailing()
    const log = join(remote.path, 'log')
    const { code, answer, stderr } = await proveJson(
      use,
      '--log-url',
      'https://ci.acme.dev/7',
      '--',
      'sh',
      '-c',
      `echo x >> ${log}; set -e; . ./shop.sh`,
    )
    expect(stderr).toContain('running on')
    expect(code).toBe(2)
    expect(answer).toMatchObject({
      pull_request: use,
      base_branch: 'main',
      pairs: [
        { pull_requests: [use, rename], result: 'failed', log_url: 'https://ci.acme.dev/7', note: null },
      ],
    })
    expect((await readFile(log, 'utf8')).length / 2).toBe(5)
    await fixture.runJobs()
    expect(repository.comment(rename)).toContain('fail together: [log](<https://ci.acme.dev/7>)')
    expect(await leftovers()).toEqual(CLEAN)
  })

  test('is said in words without --json', async () => {
    const [rename, use] = await openFailing()
    const { code, stdout } = await prove(['--pull-request', `${use}`, ...COMMAND])
    expect(code).toBe(2)
    expect(stdout).toBe(`#${use} and #${rename} fail together, and each passes alone\n`)
  })

  test('uses the results of the base and of each side again', async () => {
    const [, use] = await openFailing()
    const log = join(remote.path, 'log')
    const command = ['--', 'sh', '-c', `echo x >> ${log}; set -e; . ./shop.sh`]
    await proveJson(use, '--no-report', ...command)
    await writeFile(log, '')
    expect((await proveJson(use, '--no-report', ...command)).answer.pairs[0].result).toBe('failed')
    expect((await readFile(log, 'utf8')).length / 2).toBe(2)
  })

  test('is only reported when its results are sent later', async () => {
    const [rename, use] = await openFailing()
    const { stdout } = await proveJson(use, '--no-report', ...COMMAND)
    expect(repository.comment(rename)).toBeUndefined()
    const results = join(remote.path, 'results.json')
    await writeFile(results, stdout)
    const head = repository.githubRepo.pull(use).head.sha
    const refused = await prove(['--results', results, '--head', 'a'.repeat(40)])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('nothing was reported')
    expect((await prove(['--results', results, '--head', head])).code).toBe(2)
    await fixture.runJobs()
    expect(repository.comment(rename)).toContain('fail together')
  })

  describe('and whose results code of the pull request wrote', () => {
    /** Sends the results after `change`, as the second workflow does. */
    const send = async (number: number, change: (pair: object) => object[]) => {
      const { answer } = await proveJson(number, '--no-report', ...COMMAND)
      const results = join(remote.path, 'results.json')
      await writeFile(results, JSON.stringify({ ...answer, pairs: change(answer.pairs[0]) }))
      const { head } = repository.githubRepo.pull(number)
      const log = ['--log-url', 'https://github.com/acme/shop/actions/runs/17']
      const ran = await prove(['--results', results, '--head', head.sha, ...log])
      await fixture.runJobs()
      return ran
    }

    test('is reported with the log of the run, whatever the file names', async () => {
      const [rename, use] = await openFailing()
      await send(use, (pair) => [{ ...pair, log_url: 'https://phish.example/' }])
      expect(repository.comment(rename)).toContain('(<https://github.com/acme/shop/actions/runs/17>)')
    })

    test('is not reported with a pull request that the service does not choose', async () => {
      const [, use] = await openFailing()
      const far = await repository.open({ head: 'far', files: ['docs/far.md'] })
      const { head } = repository.githubRepo.pull(far)
      const { code, stdout } = await send(use, (pair) => [
        { ...pair, pull_requests: [use, far], heads: [repository.githubRepo.pull(use).head.sha, head.sha] },
      ])
      expect(stdout).toContain('not reported: the service does not choose this pair')
      expect(code).toBe(0)
      expect(repository.comment(far)).toBeUndefined()
    })
  })
})

describe('nothing is said about a pair', () => {
  test('whose base fails alone', async () => {
    const [, second] = await openBreaking()
    const { code, answer } = await proveJson(second, '--', 'false')
    expect(code).toBe(0)
    expect(answer.pairs).toMatchObject([{ result: 'base_failed' }])
  })

  test('one side of which fails alone', async () => {
    await open('red', 1, ['pay() { false; }'])
    const second = await open('green', 32, ['pay', 'pay'])
    const { code, answer } = await proveJson(second, ...COMMAND)
    expect(code).toBe(0)
    expect(answer.pairs).toMatchObject([{ result: 'side_failed' }])
  })

  test('that fails once and passes the second time', async () => {
    const [, second] = await openBreaking()
    const flag = join(remote.path, 'flaky')
    const flaky = `test -e ${flag} || { touch ${flag}; exit 1; }`
    const { answer } = await proveJson(second, '--', 'sh', '-c', flaky)
    expect(answer.pairs).toMatchObject([{ result: 'passed' }])
  })

  test('of which one was pushed after it was chosen', async () => {
    const [first, second] = await openBreaking()
    const moved = await commitLines('later', [...BASE, '# later'])
    await tree.git('push', '-q', '-f', 'origin', `${moved}:refs/pull/${first}/head`)
    const { answer } = await proveJson(second, ...COMMAND)
    expect(answer.pairs).toMatchObject([{ result: null, note: `#${first} was pushed meanwhile; run again` }])
    expect(await countRuns()).toBe(0)
  })
})

test('the command gets no token, and none of the files that change later steps', async () => {
  const [, second] = await openBreaking()
  const seen = join(remote.path, 'env')
  const env = { GH_TOKEN: 'x', GITHUB_ENV: '/x', ACTIONS_RUNTIME_TOKEN: 'x', INPUT_TOKEN: 'x', CI: 'true' }
  await prove(['--pull-request', `${second}`, '--', 'sh', '-c', `env > ${seen}`], { env })
  const names = (await readFile(seen, 'utf8')).split('\n').map((line) => line.split('=')[0])
  expect(names).toContain('CI')
  expect(names.filter((name) => /TOKEN|GITHUB_ENV|DECONFLICT/.test(name ?? ''))).toEqual([])
})

test('the pull request and the log are those of the workflow run', async () => {
  const [, second] = await openBreaking()
  const env = {
    GITHUB_REF: `refs/pull/${second}/merge`,
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_RUN_ID: '17',
  }
  const { stdout } = await prove(['--json', ...COMMAND], { env })
  expect(JSON.parse(stdout)).toMatchObject({
    pull_request: second,
    pairs: [{ log_url: 'https://github.com/acme/shop/actions/runs/17' }],
  })
})

describe('one line says what to do', () => {
  test.each([
    ['without a command', ['--pull-request', '1'], 'name the command to run after --'],
    ['without a pull request', COMMAND, 'name the pull request with --pull-request NUMBER'],
    [
      'with a pull request that is no number',
      ['--pull-request', 'x', ...COMMAND],
      '--pull-request must be a whole',
    ],
    ['with a pull request that is not open', ['--pull-request', '999', ...COMMAND], '#999 is not known'],
    ['with results that are none', ['--results', 'README.md'], 'is not what deconflict prove --json prints'],
  ])('%s', async (_, args, message) => {
    const { code, stderr } = await prove(args)
    expect(code).toBe(1)
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  test('if the program does not exist, and nothing is left behind', async () => {
    const [, second] = await openBreaking()
    const { code, stderr } = await prove(['--pull-request', `${second}`, '--', 'no-such-program'])
    expect(code).toBe(1)
    expect(stderr).toContain('no-such-program cannot be run')
    expect(await leftovers()).toEqual(CLEAN)
  })
})
