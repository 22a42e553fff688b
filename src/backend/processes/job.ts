import type { FastifyInstance } from 'fastify'
import type { Logger } from '../../platform/log.ts'
import type { Clockwork } from './clockwork.ts'

/** Milliseconds between two looks; readers see the right state anyway. */
const intervalMs = 5000

export interface JobOptions {
  readonly clockwork: Pick<Clockwork, 'run'>
  readonly log: Logger
  readonly now: () => number
}

/** Runs the clockwork from the moment the app listens until it closes, never twice at a time. */
export function startJob(app: FastifyInstance, { clockwork, log, now }: JobOptions): void {
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  function look(): void {
    running ??= clockwork
      .run(now())
      .catch((error: unknown) => log.warn({ err: error }, 'the clockwork of the bank failed'))
      .finally(() => {
        running = undefined
      })
  }

  app.addHook('onListen', (done) => {
    timer = setInterval(look, intervalMs).unref()
    done()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await running
  })
}
