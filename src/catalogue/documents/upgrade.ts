import { upgrade as convert } from '@scalar/openapi-upgrader'
import type { Json, JsonObject, OpenApiDocument } from '../catalogue.ts'
import { isJsonObject } from '../json.ts'
import { repair } from './repair.ts'

/**
 * A document in the form of OpenAPI 3.1, which all code reads. Versions 3.1 and
 * 3.2 stay as they are; older ones are converted, which takes longer than
 * reading them.
 *
 * @param source as its file has it, in one piece; not changed
 */
export function upgraded(source: JsonObject): OpenApiDocument {
  return isNew(source) ? complete(source) : upgrade(structuredClone(source))
}

/** As {@link upgraded}, but may change the source. */
export function upgrade(source: JsonObject): OpenApiDocument {
  if (isNew(source)) return complete(source)
  const document = source as Record<string, Json | undefined>
  repair(document)
  return complete(convert(document as never, '3.1') as JsonObject)
}

function isNew({ openapi }: JsonObject): boolean {
  return typeof openapi === 'string' && !openapi.startsWith('3.0')
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
