import type { ApiVersion, Json, JsonObject, OpenApiDocument } from '../../catalogue/catalogue.ts'
import { operationObject } from '../../catalogue/documents/operation-object.ts'
import { isJsonArray, isJsonObject } from '../../catalogue/json.ts'
import { parameterNames } from '../../catalogue/path-template.ts'

/**
 * Gives each operation the names that a document may lack: the id under which
 * the gateway counts it, and the parameters of its path.
 */
export function withNames(
  document: OpenApiDocument,
  { operations }: Pick<ApiVersion, 'operations'>,
): OpenApiDocument {
  const paths: Record<string, Json | undefined> = { ...document.paths }
  for (const { id, template, method } of operations) {
    const item = paths[template]
    const member = method.toLowerCase()
    const operation = isJsonObject(item) ? item[member] : undefined
    if (!isJsonObject(item) || !isJsonObject(operation)) continue
    const { parameters = [] } = operationObject(document, template, method) ?? {}
    const undeclared = parameterNames(template).filter(
      (name) => !parameters.some((each) => each.in === 'path' && each.name === name),
    )
    if (operation['operationId'] === id && undeclared.length === 0) continue
    paths[template] = {
      ...item,
      [member]: withParameters({ ...operation, operationId: id }, undeclared),
    }
  }
  return { ...document, paths }
}

function withParameters(operation: JsonObject, names: readonly string[]): JsonObject {
  if (names.length === 0) return operation
  const { parameters } = operation
  const added = names.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  return { ...operation, parameters: [...(isJsonArray(parameters) ? parameters : []), ...added] }
}
