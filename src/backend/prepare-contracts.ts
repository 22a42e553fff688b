import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Contract } from '../catalogue/contract.ts'
import type { Logger } from '../platform/log.ts'

export interface PrepareOptions {
  readonly contracts: readonly Pick<Contract, 'prepare'>[]
  readonly log: Logger
}

/**
 * Compiles the contracts from the moment the app listens, one schema per turn
 * of the event loop, so that the first call to an operation need not wait for
 * that. Ends early when the app closes.
 */
export function prepareContracts(app: FastifyInstance, { contracts, log }: PrepareOptions): void {
  let isClosing = false
  let preparing: Promise<void> | undefined

  async function prepare(): Promise<void> {
    for (const contract of contracts) {
      try {
        for (let isLeft = true; isLeft && !isClosing; isLeft = contract.prepare()) await turn()
      } catch (error) {
        log.error({ err: error }, 'a schema of the bank does not compile')
      }
    }
  }

  app.addHook('onListen', (done) => {
    preparing = prepare()
    done()
  })
  app.addHook('onClose', async () => {
    isClosing = true
    await preparing
  })
}
