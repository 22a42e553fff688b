import type { Call } from '../call.ts'
import { exposedHeaders, readableBy } from './cross-origin.ts'
import { lifecycleHeaders } from './lifecycle-headers.ts'
import { addLimitHeaders } from './limit-headers.ts'

/**
 * Adds the header fields that the gateway itself gives a response, whether of the backend
 * or its own: who may read it (CORS), when its version ends, and the state of
 * its limits. A call that was refused early has few. Only a preflight has others
 * (`preflightHeaders`).
 *
 * @param fields alternating names and values
 */
export function addOwnHeaders(fields: string[], call: Call): void {
  const { portalOrigin, path, version, operation, entitlement, grant } = call
  if (portalOrigin !== undefined) fields.push(...readableBy(portalOrigin))
  if (version !== undefined && path !== undefined) {
    fields.push(...lifecycleHeaders(version, path, call.availableIn))
    if (portalOrigin !== undefined && operation !== undefined) {
      fields.push(...exposedHeaders(operation))
    }
  }
  if (entitlement !== undefined && grant !== undefined) {
    addLimitHeaders(fields, entitlement.plan.limits, grant.standings)
  }
}
