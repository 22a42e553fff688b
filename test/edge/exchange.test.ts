import { EventEmitter } from 'node:events'
import t from 'tap'
import type { GrantedCall } from '../../src/gateway/edge/call.ts'
import { Exchange } from '../../src/gateway/edge/forward/exchange.ts'
import { createOperationUses } from '../../src/gateway/edge/forward/operation-uses.ts'
import type { OctetWriter } from '../../src/platform/http/octet-writer.ts'
import type { Refusal } from '../../src/platform/http/problem.ts'
import { Roster } from '../../src/platform/roster.ts'

/** An exchange that the backend has, and what its call was refused with. */
function startExchange() {
  const refusals: Refusal[] = []
  const response = Object.assign(new EventEmitter(), { destroyed: false })
  // As much of a call as an exchange looks at before it answers.
  const call = { response, forwardedAt: 0 } as unknown as GrantedCall
  const use = { connections: 0, underway: 0, octets: 0 }
  const exchange = new Exchange(call, use, {
    refuse: (_call, refusal) => refusals.push(refusal),
    onFailure: () => undefined,
    monotonic: () => 0,
    underway: new Roster<Exchange>(),
    times: { firstByteMs: 10_000, idleMs: 10_000, callMs: 25_000 },
    uses: createOperationUses({ underwayMax: 1, octetsMax: 1, bodies: { octets: 0 } }),
    echoesRequestId: false,
  })
  const backend = {
    isWaiting: false,
    bodyProgress: 0,
    abandon: () => undefined,
    resume: () => undefined,
  }
  const request = {
    writeHead: (into: OctetWriter) => into.text(''),
    body: undefined,
    isSafe: false,
    use,
  }
  exchange.begin({ dispatch: () => backend }, request)
  return { exchange, backend, use, codes: () => refusals.map(({ code }) => code) }
}

t.test('a backend that takes the upload slowly is not silent, one that stops is', async (t) => {
  const { exchange, backend, use, codes } = startExchange()
  for (let at = 0; at <= 10_000; at += 250) {
    if (at % 5_000 === 0) backend.bodyProgress += 1
    exchange.endIfLate(at)
  }
  for (let at = 10_250; at <= 19_750; at += 250) exchange.endIfLate(at)
  t.same(codes(), [])
  exchange.endIfLate(20_000)
  t.same(codes(), ['BACKEND_TIMEOUT'])
  t.equal(use.underway, 0)
})

t.test('a call waits for a connection as long as a call may take, and no longer', async (t) => {
  const { exchange, backend, codes } = startExchange()
  backend.isWaiting = true
  for (let at = 0; at <= 24_750; at += 250) exchange.endIfLate(at)
  t.same(codes(), [])
  exchange.endIfLate(25_000)
  t.same(codes(), ['BACKEND_TIMEOUT'])
})
