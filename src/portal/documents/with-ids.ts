import type { ApiVersion, Json, OpenApiDocument } from '../../catalogue/catalogue.ts'
import { isJsonObject } from '../../catalogue/json.ts'

/** Gives each operation of a document the id under which the gateway counts it: not every document has ids of its own. */
export function withIds(
  document: OpenApiDocument,
  { operations }: Pick<ApiVersion, 'operations'>,
): OpenApiDocument {
  const paths: Record<string, Json | undefined> = { ...document.paths }
  for (const { id, template, method } of operations) {
    const item = paths[template]
    const member = method.toLowerCase()
    const operation = isJsonObject(item) ? item[member] : undefined
    if (!isJsonObject(item) || !isJsonObject(operation) || operation['operationId'] === id) continue
    paths[template] = { ...item, [member]: { ...operation, operationId: id } }
  }
  return { ...document, paths }
}
