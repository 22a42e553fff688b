import { createTestAuthority, createTestTls } from '../../test/support/certificates.ts'
import type { Test } from '../../test/support/database.ts'
import { startEdge, testKey } from '../../test/support/edge.ts'
import { createDraw } from '../../test/support/random.ts'
import { exchangeAtRandom, type Faults } from './exchanges.ts'
import { startFickleBackend } from './fickle-backend.ts'

/** What fell out of step; see {@link Faults}. */
export interface OutOfStep extends Faults {
  /** Requests that the backend saw mixed up. */
  readonly atBackend: readonly string[]
}

export interface InStep {
  /** Exchanges that were made. */
  readonly done: number
  readonly faults: OutOfStep
}

export interface InStepOptions {
  /** Exchanges; a few more take place. */
  readonly wanted: number
  readonly seed: number
  readonly isSecure: boolean
}

/** Connections at a time. */
const atATime = 24

/** Makes random exchanges with a separate gateway in front of a fickle backend. */
export async function exchangeInStep(
  t: Test,
  { wanted, seed, isSecure }: InStepOptions,
): Promise<InStep> {
  const backend = await startFickleBackend(t)
  const edge = await startEdge(t, {
    backendUrl: backend.url,
    backendEchoesRequestId: true,
    ...(isSecure ? { tls: createTestTls(createTestAuthority(t).issue()) } : {}),
  })
  const faults: Faults = { crossed: [], broken: [], lost: [], hung: [] }
  let done = 0
  const clients = Array.from({ length: atATime }, async (_, at) => {
    const draw = createDraw(seed + at)
    while (done < wanted) {
      const exchanges = await exchangeAtRandom({ url: edge.url, key: testKey, draw, faults })
      done += exchanges
    }
  })
  await Promise.all(clients)
  return { done, faults: { ...faults, atBackend: backend.crossed } }
}
