import { randomBytes, randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { generateKey } from '../../src/registry/keys/key-format.ts'
import { createRandom, type Random } from '../../test/support/random.ts'
import { createHttpPool, field, type HttpPool } from './http-pool.ts'
import {
  type CallerOrder,
  guard,
  isWellInside,
  type Stream,
  windowBegin,
  windowOf,
} from './load.ts'
import { monotonicMs } from './monotonic.ts'

// A program: the clients. Calls the gateways as its parent orders and logs what it was answered. A line is: stream,
// gateway, request id, begun and ended in monotonic milliseconds, status (0: no whole answer), calls left, Retry-After,
// whether the answer said it was decided without the store, code of a refusal, whether the call was made because an
// earlier answer had asked for, after that number of seconds.

/** Between two looks at what is due. */
const tickMs = 2

let pools: HttpPool[] = []
let log = ''
let lines: string[] = []
let random: Random = createRandom(0, 'callers')
let underWay = 0
let timer: NodeJS.Timeout | undefined
/** Streams and gateways for which a call after Retry-After is awaited. */
const awaited = new Set<string>()

interface CallOptions {
  readonly isAgain?: boolean
  readonly done?: () => void
}

function call(stream: Stream, gateway: number, { isAgain = false, done }: CallOptions = {}): void {
  const requestId = randomUUID()
  const key = stream.key ?? generateKey(randomBytes).text
  const body = stream.method === 'POST' ? '{"some":"thing"}' : ''
  const length =
    body === '' ? '' : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
  const request = `${stream.method} ${stream.path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\nx-request-id: ${requestId}\r\n${length}\r\n${body}`
  const begun = monotonicMs()
  underWay += 1
  pools[gateway]?.ask(request, (answer) => {
    const ended = monotonicMs()
    underWay -= 1
    const head = answer?.head ?? ''
    const refused = answer?.body.startsWith('{"type"') === true ? JSON.parse(answer.body) : {}
    const isAlone =
      refused.degraded === true ||
      (answer?.status === 200 && field(head, 'ratelimit') === undefined)
    lines.push(
      [
        stream.name,
        gateway,
        requestId,
        begun.toFixed(3),
        ended.toFixed(3),
        answer?.status ?? 0,
        field(head, 'x-ratelimit-remaining') ?? '',
        field(head, 'retry-after') ?? '',
        isAlone ? 1 : 0,
        refused.code ?? '',
        isAgain ? 1 : 0,
      ].join('\t'),
    )
    if (lines.length >= 10_000) write()
    const seconds = Number(field(head, 'retry-after') ?? 0)
    if (stream.isObeying === true && answer?.status === 429 && seconds > 0) {
      void again(stream, gateway, ended + seconds * 1000)
    }
    done?.()
  })
}

/** Takes one answer of each window and gateway at its word. */
async function again(stream: Stream, gateway: number, due: number): Promise<void> {
  const name = `${stream.name} ${gateway}`
  if (awaited.has(name)) return
  awaited.add(name)
  while (monotonicMs() < due && timer !== undefined)
    await delay(Math.min(50, Math.max(0, due - monotonicMs())))
  awaited.delete(name)
  if (timer !== undefined) call(stream, gateway, { isAgain: true })
}

function write(): void {
  if (lines.length > 0) appendFileSync(log, `${lines.join('\n')}\n`)
  lines = []
}

function run(streams: readonly Stream[]): void {
  const due = streams.map(({ perSecond }) => monotonicMs() + (random.next() * 1000) / perSecond)
  timer = setInterval(() => {
    const now = monotonicMs()
    for (const [at, stream] of streams.entries()) {
      const { perSecond, gateways, windows } = stream
      while (perSecond > 0 && (due[at] ?? now) < now) {
        // What the machine was too late for by far is left out, not made up for at once.
        const from = Math.max(due[at] ?? now, now - 100)
        due[at] = from + ((0.5 + random.next()) * 1000) / perSecond
        if (isWellInside(now, windows)) call(stream, random.pick(gateways))
      }
    }
  }, tickMs)
}

function burst(stream: Stream, times: number): Promise<void> {
  return new Promise((resolve) => {
    let left = times
    for (let at = 0; at < times; at += 1) {
      const gateway = stream.gateways[at % stream.gateways.length] ?? 0
      call(stream, gateway, {
        done() {
          left -= 1
          if (left === 0) resolve()
        },
      })
    }
  })
}

async function soak({ streams, windows, full, mostMs, parallel }: CallerOrder & { order: 'soak' }) {
  const until = monotonicMs() + mostMs
  const windowMs = windows.seconds * 1000
  let filled = 0
  while (filled < full && monotonicMs() < until) {
    const begin = windowBegin(windowOf(monotonicMs(), windows) + 1, windows)
    await delay(Math.max(0, begin + guard.beginMs - monotonicMs()))
    const last = begin + windowMs - guard.endMs
    const left = streams.map((stream) => ({ stream, calls: stream.calls }))
    /** Buckets under way at the same time. */
    const open: typeof left = []
    await new Promise<void>((resolve) => {
      let waiting = 0
      function fill(): void {
        while (waiting < parallel && monotonicMs() < last) {
          while (open.length < 16 && left.length > 0) {
            const [taken] = left.splice(random.between(0, left.length - 1), 1)
            if (taken !== undefined) open.push(taken)
          }
          if (open.length === 0) break
          const at = random.between(0, open.length - 1)
          const bucket = open[at]
          if (bucket === undefined) break
          bucket.calls -= 1
          if (bucket.calls === 0) {
            open.splice(at, 1)
            filled += 1
          }
          waiting += 1
          call(bucket.stream, random.pick(bucket.stream.gateways), {
            done() {
              waiting -= 1
              fill()
            },
          })
        }
        if (waiting === 0) resolve()
      }
      fill()
    })
  }
}

async function carryOut(order: CallerOrder): Promise<void> {
  if (order.order === 'run') {
    for (const pool of pools) pool.close()
    pools = order.ports.map((port) => createHttpPool({ port, connectionsMax: 160 }))
    log = order.log
    random = createRandom(order.seed, 'callers')
    run(order.streams)
  } else if (order.order === 'burst') await burst(order.stream, order.times)
  else if (order.order === 'soak') await soak(order)
  else {
    clearInterval(timer)
    timer = undefined
    while (underWay > 0) await delay(5)
    write()
  }
}

process.on('disconnect', () => process.exit())
process.on('message', (message) => {
  // Parse boundary: our own parent.
  const { id, order } = message as { id: number; order: CallerOrder }
  void carryOut(order).then(() => process.send?.(id))
})
