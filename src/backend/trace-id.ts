import type { FastifyRequest } from 'fastify'

/** The trace id from the gateway (W3C Trace Context), which connects the log lines of both. */
export function traceIdOf({ headers }: FastifyRequest): string | undefined {
  const { traceparent } = headers
  if (typeof traceparent !== 'string') return undefined
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(traceparent)?.[1]
}
