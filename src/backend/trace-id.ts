import type { FastifyRequest } from 'fastify'

/** The trace that the gateway continued or began (W3C Trace Context), so that log lines of both can be put together. */
export function traceIdOf({ headers }: FastifyRequest): string | undefined {
  const { traceparent } = headers
  if (typeof traceparent !== 'string') return undefined
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(traceparent)?.[1]
}
