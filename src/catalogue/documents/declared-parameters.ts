import type { ApiVersion, JsonObject } from '../catalogue.ts'
import { operationObject, type Parameter } from './operation-object.ts'

/** The parameters of all operations that the gateway serves; a shared one occurs with each. */
export function declaredParameters(
  document: JsonObject,
  operations: readonly Pick<ApiVersion['operations'][number], 'template' | 'method'>[],
): readonly Parameter[] {
  return operations.flatMap(
    ({ template, method }) => operationObject(document, template, method)?.parameters ?? [],
  )
}
