/**
 * Preloaded into the service: measures the turns of its event loop in processor time, and profiles them. It answers each
 * connection to the socket at TURN_PROBE with the turns since the last one. Linux only.
 */
import { openSync, readSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { createServer } from 'node:net'

/** A turn is measured between two ticks, so it counts up to this much too much. */
const TICK_MS = 1
/** A step is shown if it takes this part of the one that calls it at most. */
const STEP = 0.9
/** The shown path ends before the first step that takes a smaller part of the turn. */
const LEAST = 0.1

const file = openSync('/proc/self/schedstat')
const buffer = Buffer.alloc(64)

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.setSamplingInterval', { interval: 500 })
await session.post('Profiler.start')

const turns = []
let last = now()
setInterval(() => {
  const tick = now()
  turns.push({ from: last.at, to: tick.at, ms: (tick.used - last.used) / 1e6 })
  last = tick
}, TICK_MS).unref()

const server = createServer(async (socket) => {
  const measured = turns.splice(0).sort((a, b) => b.ms - a.ms)
  const { profile } = await session.post('Profiler.stop')
  await session.post('Profiler.start')
  const [longest] = measured
  const ms = (share) => measured[Math.floor(measured.length * share)]?.ms ?? 0
  socket.end(JSON.stringify({ max: ms(0), p99: ms(0.01), path: longest ? pathOf(profile, longest) : '' }))
  turns.length = 0
  last = now()
})
server.listen(process.env.TURN_PROBE).unref()

/** The time in microseconds, and the processor time of this thread in nanoseconds. */
function now() {
  // Makes the system bring the figure in the file up to date.
  process.cpuUsage()
  const [used] = buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0)).split(' ')
  return { at: Number(process.hrtime.bigint() / 1000n), used: Number(used) }
}

/** What the turn did, from the outermost function inwards, each time following the one that took the longest. */
function pathOf({ nodes, samples, timeDeltas, startTime }, { from, to, ms }) {
  const byId = new Map(nodes.map((node) => [node.id, { ...node, hits: 0 }]))
  let [at, total] = [startTime, 0]
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index]
    if (at < from || at > to) continue
    byId.get(id).hits += 1
    total += 1
  }
  const hitsOf = (node) => (node.all ??= node.hits + sum(childrenOf(node).map(hitsOf)))
  const childrenOf = ({ children = [] }) => children.map((id) => byId.get(id))
  const steps = []
  for (let node = byId.get(nodes[0].id); node && hitsOf(node) >= LEAST * total; ) {
    const { functionName: name } = node.callFrame
    const step = { name, ms: (ms * hitsOf(node)) / total }
    if (name && (steps.length === 0 || step.ms <= STEP * steps.at(-1).ms)) steps.push(step)
    else if (name && steps.length > 0) steps.at(-1).name = name
    node = childrenOf(node).sort((a, b) => hitsOf(b) - hitsOf(a))[0]
  }
  return steps.map(({ name, ms }) => `${name} ${ms.toFixed(0)}`).join(' > ')
}

function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0)
}
