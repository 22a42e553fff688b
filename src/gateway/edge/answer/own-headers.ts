import type { Call } from '../call.ts'
import { exposedHeaders, readableBy } from './cross-origin.ts'
import { lifecycleHeaders } from './lifecycle-headers.ts'
import { limitHeaders } from './limit-headers.ts'

/**
 * The header fields that the gateway adds to a response, whether of the backend
 * or its own: who may read it (CORS), when its version ends, and the state of
 * its limits. Alternating names and values. A call that was refused early has few.
 * Only a preflight has others (`preflightHeaders`).
 */
export function ownHeaders(call: Call): string[] {
  const { portalOrigin, path, version, operation, entitlement, grant } = call
  const fields = portalOrigin === undefined ? [] : readableBy(portalOrigin)
  if (version !== undefined && path !== undefined) {
    fields.push(...lifecycleHeaders(version, path, call.availableIn))
    if (portalOrigin !== undefined && operation !== undefined) {
      fields.push(...exposedHeaders(operation))
    }
  }
  if (entitlement !== undefined && grant !== undefined) {
    fields.push(...limitHeaders(entitlement.plan.limits, grant.standings))
  }
  return fields
}
