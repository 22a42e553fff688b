import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { isUuid } from './domain/identifiers.ts'

/** Ids that the bank generated, so that every answer and log line of a request has the same id. */
const made = new WeakMap<FastifyRequest, string>()

/** The X-Request-ID of the answers: that of the request, or a new one if the request has no valid one. */
export function requestIdOf(request: FastifyRequest): string {
  const sent = request.headers['x-request-id']
  if (typeof sent === 'string' && isUuid(sent)) return sent
  const known = made.get(request) ?? randomUUID()
  made.set(request, known)
  return known
}
