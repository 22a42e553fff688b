import { EventEmitter } from 'node:events'
import t from 'tap'
import type { Call } from '../../src/gateway/edge/call.ts'
import { Exchange } from '../../src/gateway/edge/exchange.ts'
import type { Refusal } from '../../src/platform/problem.ts'
import { Roster } from '../../src/platform/roster.ts'

/** An exchange of a call that is still uploading, and what it was refused with. */
function startExchange() {
  const refusals: Refusal[] = []
  const request = { complete: false, destroyed: false }
  const response = Object.assign(new EventEmitter(), { destroyed: false })
  // As much of a call as an exchange looks at before it answers.
  const call = { request, response, answerHeaders: [], forwardedAt: 0 } as unknown as Call
  const exchange = new Exchange(call, {
    refuse: (_call, refusal) => refusals.push(refusal),
    onFailure: () => undefined,
    monotonic: () => 0,
    underway: new Roster<Exchange>(),
  })
  const backend = {
    ...{ isWaiting: false, isStuck: false, drains: 0 },
    abandon: () => undefined,
    resume: () => undefined,
  }
  exchange.dispatched(backend)
  return { exchange, backend, request, codes: () => refusals.map(({ code }) => code) }
}

t.test('a backend that takes the upload slowly is not silent, one that stops is', async (t) => {
  const { exchange, backend, codes } = startExchange()
  backend.isStuck = true
  for (let at = 0; at <= 10_000; at += 250) {
    if (at % 5_000 === 0) backend.drains += 1
    exchange.watch(at)
  }
  for (let at = 10_250; at <= 19_750; at += 250) exchange.watch(at)
  t.same(codes(), [])
  exchange.watch(20_000)
  t.same(codes(), ['BACKEND_TIMEOUT'])
})

t.test('a client that uploads slowly has the whole time of a call, and is told so', async (t) => {
  const { exchange, codes } = startExchange()
  for (let at = 0; at <= 24_750; at += 250) exchange.watch(at)
  t.same(codes(), [])
  exchange.watch(25_000)
  t.same(codes(), ['REQUEST_TIMEOUT'])
})
