import type { FastifyInstance } from 'fastify'
import { loggedMs, type WriteAccessLine } from '../platform/http/access-line.ts'
import type { BankMetrics, BankRequest } from './bank-metrics.ts'
import { requestIdOf } from './request-id.ts'
import { traceIdOf } from './trace-id.ts'

export interface ObserveRequestsOptions {
  readonly listener: BankRequest['listener']
  readonly metrics: Pick<BankMetrics, 'observe'>
  /** Undefined: another process writes a line for each request. */
  readonly writeAccessLine: WriteAccessLine | undefined
}

/**
 * Counts the requests of a listener and writes their log lines. A line has no
 * path, because paths hold ids of accounts and payments.
 */
export function observeRequests(
  app: FastifyInstance,
  { listener, metrics, writeAccessLine }: ObserveRequestsOptions,
): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request
    const { elapsedTime, statusCode: status } = reply
    const { operation } = routeOptions.config
    metrics.observe({ listener, operation, status, seconds: elapsedTime / 1000 })
    writeAccessLine?.(status, () => ({
      requestId: requestIdOf(request),
      traceId: traceIdOf(request),
      ...(operation === undefined
        ? { method, route: routeOptions.url }
        : { api: operation.api, version: operation.version, operation: operation.id }),
      totalMs: loggedMs(elapsedTime),
    }))
  })
}
