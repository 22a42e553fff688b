import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { isUuid } from './domain/identifiers.ts'

/** Those made by us, so that every answer and log line of a request has the same one. */
const made = new WeakMap<FastifyRequest, string>()

/** The X-Request-ID that answers carry: that of the request, or a fresh one where it is unusable. */
export function requestIdOf(request: FastifyRequest): string {
  const sent = request.headers['x-request-id']
  if (typeof sent === 'string' && isUuid(sent)) return sent
  const known = made.get(request) ?? randomUUID()
  made.set(request, known)
  return known
}
