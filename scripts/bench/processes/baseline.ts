/** Servers that do less than the service, to compare it with. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import postgres from 'postgres'
import type { Statement } from '../record.ts'

export type Baseline =
  /** Bare `node:http`: parses the body as JSON and returns a fixed text. */
  | { kind: 'node'; answer: string }
  /** Express as in its documentation: parses the body as JSON and returns JSON. */
  | { kind: 'express'; answer: string }
  /** Bare `node:http` that runs the statements of a route and returns the rows of the last one that has any. */
  | { kind: 'statements'; database_url: string; statements: Statement[]; id: string; fresh_ids: boolean }

/** As many connections as the service has. */
const CONNECTIONS = 8

process.once('message', (baseline: Baseline) => {
  const server = serverOf(baseline)
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    process.send?.({ url: `http://127.0.0.1:${port}` })
  })
})

function serverOf(baseline: Baseline): Server {
  switch (baseline.kind) {
    case 'node':
      return createServer(node(baseline.answer))
    case 'express':
      return createServer(emptyExpress(baseline.answer))
    case 'statements':
      return createServer(statements(baseline))
  }
}

function node(answer: string): RequestListener {
  return (req, res) => {
    readJson(req, () => {
      res.setHeader('Content-Type', 'application/json')
      res.end(answer)
    })
  }
}

function readJson(req: IncomingMessage, done: () => void): void {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    const text = Buffer.concat(chunks).toString()
    if (text !== '') JSON.parse(text)
    done()
  })
}

function emptyExpress(answer: string) {
  const app = express()
  const body = JSON.parse(answer)
  app.use(express.json())
  app.all('/api/v1/repos/:owner/:repo/*rest', (_req, res) => {
    res.json(body)
  })
  return app
}

function statements({
  database_url,
  statements: all,
  id,
  fresh_ids,
}: Baseline & { kind: 'statements' }): RequestListener {
  const clients = Array.from({ length: CONNECTIONS }, () =>
    postgres(database_url, { max: 1, fetch_types: false, onnotice: () => {} }),
  )
  const isTransaction = all.some(({ sql }) => sql === 'begin')
  const asked = all.filter(({ sql }) => sql !== 'begin' && sql !== 'commit')
  let turn = 0
  let fresh = Date.now() * 1000
  const runAll = async (client: postgres.Sql | postgres.TransactionSql, own: string) => {
    let answer: unknown[] = []
    for (const { sql, params } of asked) {
      const given = id === '' ? params : params.map((param) => withId(param, id, own))
      const rows = await client.unsafe(sql, given as never[], { prepare: true })
      if (rows.length > 0) answer = rows
    }
    return JSON.stringify({ items: answer })
  }
  return (req, res) => {
    readJson(req, () => {
      const client = clients[turn++ % CONNECTIONS] as postgres.Sql
      const own = fresh_ids
        ? `act_${String(fresh++).padStart(26, '0')}`
        : (/act_\w+/.exec(req.url ?? '')?.[0] ?? id)
      const answered = isTransaction ? client.begin((tx) => runAll(tx, own)) : runAll(client, own)
      answered.then(
        (answer) => {
          res.setHeader('Content-Type', 'application/json')
          res.end(answer)
        },
        (error: Error) => {
          process.stderr.write(`${error.stack}\n`)
          process.exit(1)
        },
      )
    })
  }
}

function withId(param: unknown, id: string, own: string): unknown {
  if (typeof param === 'string') return param.replaceAll(id, own)
  if (Array.isArray(param)) return param.map((each) => withId(each, id, own))
  return param
}
