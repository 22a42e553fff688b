import type { Json, JsonObject } from '../catalogue.ts'
import { readMapping, type Sources } from '../source.ts'
import { bundle } from './bundle.ts'
import { applyOverlay } from './overlay.ts'

export interface DocumentFiles {
  /** Path of the document, below the folder of the configuration: `apis/xs2a/1.7.0.yaml`. */
  readonly path: string
  /** Path of the overlay beside it, if there is one. */
  readonly overlay: string | undefined
}

/**
 * Reads an OpenAPI document with its overlay applied and everything it refers
 * to, in the version of OpenAPI that it has.
 *
 * @returns undefined if it is no OpenAPI document, which was then reported
 */
export function readDocument(
  sources: Sources,
  { path, overlay }: DocumentFiles,
): JsonObject | undefined {
  const read = readMapping(sources, path, 'openapi-version')
  if (read === undefined) return undefined
  const content =
    overlay === undefined ? read : applyOverlay({ sources, path: overlay, document: read })
  const member =
    content['openapi'] === undefined && content['swagger'] !== undefined ? 'swagger' : 'openapi'
  const version = versionOf(content[member])
  if (version === undefined) {
    const stated =
      content[member] === undefined
        ? 'is missing'
        : `${JSON.stringify(content[member])} is not supported`
    const message = `${stated}: Tollgate reads OpenAPI 2.0 (swagger: "2.0"), 3.0, 3.1 and 3.2`
    sources.report({
      rule: 'openapi-version',
      at: content,
      member,
      message,
      example: 'openapi: 3.1.1',
    })
    return undefined
  }
  const stated = { ...content, [member]: version }
  sources.adopt(stated, content)
  return bundle({ sources, path, content: stated })
}

/** The version as OpenAPI writes it; YAML reads 2.0, 3.0 and 3.1 without quotes as numbers. */
function versionOf(stated: Json | undefined): string | undefined {
  const version = stated === 2 || stated === 3 ? `${stated}.0` : String(stated)
  return /^(2\.0|3\.[012](\.[0-9]+)?)$/.test(version) ? version : undefined
}
