import type { JsonObject, Method } from '../catalogue.ts'
import { isJsonArray } from '../json.ts'
import { type Located, member, membersOf } from './reference.ts'

/** Where parameters may be sent. */
export const parameterPlaces = ['path', 'query', 'header'] as const

/** One parameter of an operation, as published. */
export interface Parameter {
  readonly name: string
  readonly in: string
  readonly isRequired: boolean
  readonly object: Located
}

/** An operation of a document with every reference of its own followed; schemas stay where they are. */
export interface OperationObject {
  readonly object: Located
  /** Parameters of the operation, then those of its path that the operation does not replace. */
  readonly parameters: readonly Parameter[]
  readonly requestBody: Located | undefined
  /** By status as written: `200`, `4XX` or `default`. */
  readonly responses: readonly (readonly [string, Located])[]
}

/** Reads the operation of a method on a path of a document. Undefined when the document has none. */
export function operationObject(
  document: JsonObject,
  template: string,
  method: Method,
): OperationObject | undefined {
  const paths: Located = { value: document, pointer: '' }
  const pathItem = member(document, paths, 'paths', template)
  const object = pathItem && member(document, pathItem, method.toLowerCase())
  if (pathItem === undefined || object === undefined) return undefined
  const own = parametersOf(document, object)
  const shared = parametersOf(document, pathItem).filter((parameter) =>
    own.every((other) => !isSameParameter(parameter, other)),
  )
  return {
    object,
    parameters: [...own, ...shared],
    requestBody: member(document, object, 'requestBody'),
    responses: membersOf(document, object, 'responses').filter(
      ([status]) => !status.startsWith('x-'),
    ),
  }
}

/** The parameters listed in an operation or a path item itself. */
export function parametersOf(document: JsonObject, parent: Located): readonly Parameter[] {
  const list = parent.value['parameters']
  const parameters: Parameter[] = []
  for (const index of isJsonArray(list) ? list.keys() : []) {
    const object = member(document, parent, 'parameters', index)
    const name = object?.value['name']
    const place = object?.value['in']
    if (object === undefined || typeof name !== 'string' || typeof place !== 'string') continue
    parameters.push({ name, in: place, isRequired: object.value['required'] === true, object })
  }
  return parameters
}

/** Whether two parameters are the same to a caller: header names do not depend on case (RFC 9110, 5.1). */
export function isSameParameter(a: Parameter, b: Parameter): boolean {
  if (a.in !== b.in) return false
  return a.in === 'header' ? a.name.toLowerCase() === b.name.toLowerCase() : a.name === b.name
}
