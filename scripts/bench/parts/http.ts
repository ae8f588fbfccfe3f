/** The HTTP layer (tokens, quota, schemas, pipeline) with the rest stubbed, next to bare `node:http` and an empty Express. */
import { startTask } from '../child.ts'
import type { Baseline } from '../processes/baseline.ts'
import { READ_TOKEN, type Rig } from '../rig.ts'
import { sideBySide, type Variant } from '../side-by-side.ts'

const CLIENTS = 8
const UNUSED_URL = 'postgres://nobody@127.0.0.1/nothing'
/** A check has the largest body and needs no stored record. */
const CHECK = {
  scope: { areas: ['checkout'], paths: ['src/checkout/api/**', 'docs/payments.md'] },
  branch: 'payment-retries',
  base_branch: 'main',
}

export async function httpPart(rig: Rig): Promise<void> {
  const layer = await rig.startService({ DATABASE_URL: UNUSED_URL }, 'scripts/bench/stubbed-service.mjs')
  const start = (setUp: Baseline) => startTask<never, { url: string }>('baseline', { setUp })
  const request = {
    method: 'POST',
    path: '/api/v1/repos/acme/plain/activity/check',
    body: JSON.stringify(CHECK),
  }
  const response = await fetch(`${layer.url}${request.path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${READ_TOKEN}` },
    body: request.body,
  })
  const answer = await response.text()
  if (response.status !== 200) throw new Error(`the HTTP layer answered ${response.status}: ${answer}`)
  const node = await start({ kind: 'node', answer })
  const express = await start({ kind: 'express', answer })
  const variant = (of: { url: string; pid: number }, label: string): Variant => ({
    kind: 'http',
    label: `stubbed check, ${label}`,
    urls: [of.url],
    pid: of.pid,
    requests: [request],
    status: 200,
  })
  const task = ({ greeting, pid }: typeof node) => ({ url: greeting.url, pid })
  const variants = {
    layer: variant(layer, 'the service’s HTTP layer'),
    node: variant(task(node), 'bare node:http'),
    express: variant(task(express), 'empty Express'),
  }
  await sideBySide(rig, 'http', { variants, clients: CLIENTS, notes: 'rate', token: READ_TOKEN })
  await Promise.all([layer.stop(), node.close(), express.close()])
}
