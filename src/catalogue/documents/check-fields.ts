import { keyFields, neverPasses } from '../../platform/http/own-fields.ts'
import type { JsonObject } from '../catalogue.ts'
import type { Sources } from '../source.ts'
import { keyIn, securitySchemes } from './credential-fields.ts'
import { operationObject } from './operation-object.ts'
import type { ReadOperation } from './read-operations.ts'

export interface DeclaringDocument {
  readonly document: JsonObject
  readonly operations: readonly ReadOperation[]
  /** What the document or its overlay names. */
  readonly backend: string | undefined
}

/** Warns of header fields that a document declares and that never reach its backend. */
export function checkFields(
  sources: Sources,
  { document, operations, backend }: DeclaringDocument,
): void {
  for (const { template, method } of operations) {
    const { parameters = [] } = operationObject(document, template, method) ?? {}
    for (const { in: place, name, object } of parameters) {
      if (place === 'header') warn(`the header parameter ${name}`, name, object.value)
    }
  }
  for (const [scheme, object] of securitySchemes(document)) {
    const name = keyIn(object, 'header')
    if (name === undefined) continue
    // Without a backend of its own, a document may well describe the gateway's key.
    if (keyFields.has(name.toLowerCase()) && backend === undefined) continue
    warn(`${name} of the security scheme ${scheme}`, name, object)
  }

  function warn(what: string, name: string, at: JsonObject): void {
    const why = reasonOf(name.toLowerCase())
    if (why === undefined) return
    const message = `${what} never reaches the backend: ${why}`
    sources.warn({ rule: 'field-not-passed', at, member: 'name', message })
  }
}

function reasonOf(name: string): string | undefined {
  if (!neverPasses(name)) return undefined
  if (name.includes('_')) return 'the gateway rejects header names that contain "_"'
  if (keyFields.has(name)) return "it carries the gateway's own key"
  return 'the gateway removes the field, or sets it itself'
}
