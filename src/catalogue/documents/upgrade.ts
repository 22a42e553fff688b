import { upgrade } from '@scalar/openapi-upgrader'
import type { Json, JsonObject, OpenApiDocument } from '../catalogue.ts'
import { isJsonObject } from '../json.ts'
import { repair } from './repair.ts'

/**
 * A document in the form of OpenAPI 3.1, which all code reads. Versions 3.1 and
 * 3.2 stay as they are; older ones are converted, which takes longer than
 * reading them.
 *
 * @param source as its file has it, in one piece
 */
export function upgraded(source: JsonObject): OpenApiDocument {
  return complete(inNewForm(source))
}

function inNewForm(source: JsonObject): JsonObject {
  const { openapi } = source
  if (typeof openapi === 'string' && !openapi.startsWith('3.0')) return source
  // The library changes what it is given.
  const copy = structuredClone(source) as Record<string, Json | undefined>
  repair(copy)
  return upgrade(copy as never, '3.1') as JsonObject
}

/** What OpenAPI requires and a document may lack, so that no reader has to ask. */
function complete(document: JsonObject): OpenApiDocument {
  const { openapi, info, paths } = document
  if (typeof openapi === 'string' && isJsonObject(info) && isJsonObject(paths)) {
    return document as OpenApiDocument
  }
  return {
    ...document,
    openapi: typeof openapi === 'string' ? openapi : '3.1.1',
    info: isJsonObject(info) ? info : {},
    paths: isJsonObject(paths) ? paths : {},
  }
}
