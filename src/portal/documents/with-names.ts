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
    const stated = paths[template]
    const member = method.toLowerCase()
    if (!isJsonObject(stated) || !isJsonObject(stated[member])) continue
    const names = parameterNames(template)
    const item = namedAsInPath(stated, names)
    const operation = namedAsInPath(stated[member], names)
    paths[template] = { ...item, [member]: operation }
    const { parameters = [] } = operationObject({ ...document, paths }, template, method) ?? {}
    const undeclared = names.filter(
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

/** An export of AWS declares `proxy` for `{proxy+}`, which is another parameter in OpenAPI. */
function namedAsInPath(holder: JsonObject, names: readonly string[]): JsonObject {
  const { parameters } = holder
  if (!isJsonArray(parameters) || !names.some((name) => /[+*]$/.test(name))) return holder
  const named = parameters.map((parameter) => {
    if (!isJsonObject(parameter) || parameter['in'] !== 'path') return parameter
    const written = String(parameter['name'])
    if (names.includes(written)) return parameter
    const name = names.find((each) => each === `${written}+` || each === `${written}*`)
    return name === undefined ? parameter : { ...parameter, name }
  })
  return { ...holder, parameters: named }
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
