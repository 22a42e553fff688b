import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Contract } from '../catalogue/contract.ts'
import type { Logger } from '../platform/log/log.ts'

/** Compiles contracts ahead of the calls. */
export interface Preparation {
  /** Continues with these contracts, which serve from now on, instead of the earlier ones. */
  replace(contracts: readonly Pick<Contract, 'prepare'>[]): void
}

export interface PrepareOptions {
  readonly contracts: readonly Pick<Contract, 'prepare'>[]
  readonly log: Logger
}

/**
 * Compiles the contracts from the moment the app listens, one schema per turn
 * of the event loop, so that the first call to an operation does not wait for
 * it. Stops early when the app closes.
 */
export function prepareContracts(
  app: FastifyInstance,
  { contracts: first, log }: PrepareOptions,
): Preparation {
  let contracts = first
  let isClosing = false
  let isListening = false
  let preparing: Promise<unknown> = Promise.resolve()

  async function prepare(): Promise<void> {
    const current = contracts
    const isNeeded = (): boolean => !isClosing && contracts === current
    for (const contract of current) {
      try {
        for (let isLeft = true; isLeft && isNeeded(); isLeft = contract.prepare()) await turn()
      } catch (error) {
        log.error({ err: error }, 'a schema of the bank does not compile')
      }
    }
  }

  app.addHook('onListen', (done) => {
    isListening = true
    preparing = prepare()
    done()
  })
  app.addHook('onClose', async () => {
    isClosing = true
    await preparing
  })
  return {
    replace(next) {
      contracts = next
      if (isListening) preparing = Promise.all([preparing, prepare()])
    },
  }
}
