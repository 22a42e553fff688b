import { randomUUID } from 'node:crypto'
import t from 'tap'
import { Agent } from 'undici'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { createRouter } from '../../src/catalogue/router.ts'
import type { Call } from '../../src/gateway/edge/call.ts'
import { createGateway } from '../../src/gateway/edge/create-gateway.ts'
import { upstreamPath } from '../../src/gateway/edge/forward.ts'
import { createPipeline } from '../../src/gateway/edge/pipeline.ts'
import { createRefuse } from '../../src/gateway/edge/refuse.ts'
import { callerOf, configDir, testKey } from '../support/edge.ts'

t.test(
  'a check left out of the table ends every call with 500; it never opens a door',
  async (t) => {
    const catalogue = await loadCatalogue(configDir)
    const checks = createPipeline({
      registry: { authenticate: (_key, done) => done(callerOf('app-1')) },
      failures: { count: (_address, done) => done(0) },
      counter: {
        grant: (limits, _onOutage, done) =>
          done({
            admitted: true,
            decision: 'admitted',
            standings: limits.map(() => ({ remaining: 1, resetMs: 1000, granted: true })),
            retryAfterMs: 0,
          }),
        peek: async () => [],
        reset: async () => {},
        forget: () => {},
        isUp: () => true,
        close: async () => {},
      },
      hasRoom: () => true,
      now: Date.now,
    })

    async function statusWithout(omitted: string): Promise<number> {
      const app = await createGateway({
        published: () => ({ generation: 1, catalogue, router: createRouter(catalogue) }),
        checks: checks.filter(({ name }) => name !== omitted),
        forwarder: {
          forward(call: Call) {
            // What forwarding reads of a call.
            const facts = [upstreamPath(call), call.hasBody, call.caller]
            call.response.end(facts.length === 3 ? 'forwarded' : '')
          },
          hasRoom: () => true,
          pool: new Agent(),
          close: async () => {},
        },
        refuse: createRefuse({ portalUrl: () => 'https://portal.example' }),
        observer: { ended() {}, refusedUnparsed() {}, backendFailed() {}, failed() {} },
        clientAddress: () => '127.0.0.1',
        clientScheme: () => 'http',
        connectionLimits: { connectionsPerAddress: 100, connectionsMax: 100 },
        isProxy: () => false,
        backendUrl: 'http://127.0.0.1:9',
        portalUrl: () => 'https://portal.example',
        monotonic: () => performance.now(),
        randomUUID,
      })
      const url = await app.listen({ host: '127.0.0.1', port: 0 })
      try {
        const answer = await fetch(`${url}/v1.7.0/accounts`, { headers: { 'x-api-key': testKey } })
        await answer.arrayBuffer()
        return answer.status
      } finally {
        await app.close()
      }
    }

    t.equal(await statusWithout('nothing'), 200)
    for (const name of ['target', 'route', 'body', 'authenticate', 'entitle', 'limit']) {
      t.equal(await statusWithout(name), 500, name)
    }
    // These two find out nothing that a later step reads; framing.test.ts and room.test.ts hold them.
    t.same(
      checks.map(({ name }) => name).filter((name) => ['headers', 'room'].includes(name)),
      ['headers', 'room'],
    )
  },
)
