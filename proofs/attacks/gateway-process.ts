// A process with the gateway under attack: the real edge, with a registry in which every key `tg_<number>` is an
// application of its own, so that counts identify the input. Its arguments are the backend, and `https`
// for a listener with TLS.

import type { Counter } from '../../src/gateway/counters/counter.ts'
import { createMemoryCounter } from '../../src/gateway/counters/memory/memory-counter.ts'
import { createLog } from '../../src/platform/log/log.ts'
import type { Authentication } from '../../src/registry/registry.ts'
import { createTestAuthority, createTestTls } from '../../test/support/certificates.ts'
import { callerOf, startEdge } from '../../test/support/edge.ts'
import { plansOfAll } from '../../test/support/own-apis.ts'
import { createScope } from '../faults/scope.ts'
import type { GatewayState } from './gateway.ts'
import { applicationOf } from './message.ts'
import { attackedCatalogue } from './own-apis.ts'

const [, , backendUrl = '', scheme] = process.argv
const scope = createScope()
let counted: string[] = []

const memory = await createMemoryCounter({ log: createLog('silent') })
const counter: Counter = {
  ...memory,
  grant(buckets, policy, done) {
    memory.grant(buckets, policy, (grant) => {
      if (grant.admitted) counted.push(buckets[0]?.bucket ?? '')
      done(grant)
    })
  },
}

const catalogue = await attackedCatalogue(scope)
const plans = plansOfAll(catalogue)
const callers = new Map<string, Authentication>()
function callerWith(key: string): Authentication | undefined {
  const number = /^tg_(\d+)$/.exec(key)?.[1]
  if (number === undefined) return undefined
  const known = callers.get(key) ?? callerOf(applicationOf(Number(number)), { plans })
  callers.set(key, known)
  return known
}

const edge = await startEdge(scope, {
  backendUrl,
  isBackendUrlSet: true,
  catalogue: () => catalogue,
  counter,
  callers: { get: callerWith },
  ...(scheme === 'https' ? { tls: createTestTls(createTestAuthority(scope).issue()) } : {}),
})

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  const state: GatewayState = {
    counted,
    processorMicroseconds: user + system,
    residentBytes: process.memoryUsage.rss(),
  }
  counted = []
  process.send?.(state)
})
process.once('disconnect', () => void scope.end().finally(() => process.exit()))
process.send?.(edge.url)
