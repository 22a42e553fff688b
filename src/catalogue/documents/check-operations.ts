import type { JsonObject } from '../catalogue.ts'
import { isJsonArray, isJsonObject, objectMembersOf, pointerToken } from '../json.ts'
import { parameterNames } from '../path-template.ts'
import type { Sources } from '../source.ts'
import {
  isSameParameter,
  type OperationObject,
  operationObject,
  type Parameter,
  parametersOf,
} from './operation-object.ts'
import type { ReadOperation } from './read-operations.ts'
import { locate } from './reference.ts'

/** Warns of what OpenAPI forbids in operations and its JSON Schema cannot say. */
export function checkOperations(
  sources: Sources,
  document: JsonObject,
  operations: readonly ReadOperation[],
): void {
  if (operations.length === 0) {
    const message = 'the document has no operation that the gateway serves: every call gets 404'
    sources.warn({ rule: 'no-operations', at: document, member: 'paths', message })
  }
  for (const [template, pathItem] of objectMembersOf(document['paths'])) {
    if (template.startsWith('x-')) continue
    checkParameterList(sources, document, pathItem, template)
    warnOfServers(sources, pathItem)
  }
  for (const { method, template } of operations) {
    const operation = operationObject(document, template, method)
    if (operation === undefined) continue
    checkParameters(sources, operation, template)
    warnOfServers(sources, operation.object.value)
    checkResponses(sources, operation)
    checkSecurity(sources, document, operation)
  }
}

function warnOfServers(sources: Sources, at: JsonObject): void {
  if (at['servers'] === undefined) return
  const message =
    'are not used: all calls of a version go to its one backend. Publish what another server has as an API of its own'
  sources.warn({ rule: 'servers-ignored', at, member: 'servers', message })
}

/** The parameters a path item lists for all of its operations. */
function checkParameterList(
  sources: Sources,
  document: JsonObject,
  at: JsonObject,
  template: string,
): void {
  const pathItem = locate(document, `/paths/${pointerToken(template)}`)
  if (pathItem !== undefined) checkDoubled(sources, at, parametersOf(document, pathItem))
}

function checkDoubled(sources: Sources, at: JsonObject, parameters: readonly Parameter[]): void {
  for (const [index, parameter] of parameters.entries()) {
    if (!parameters.slice(0, index).some((other) => isSameParameter(parameter, other))) continue
    const list = at['parameters']
    const message = `the ${parameter.in} parameter ${parameter.name} is listed twice`
    const place = isJsonArray(list) ? { at: list, member: index } : { at }
    sources.warn({ rule: 'parameter-duplicate', ...place, message })
  }
}

function checkParameters(sources: Sources, operation: OperationObject, template: string): void {
  const at = operation.object.value
  const listed = isJsonArray(at['parameters']) ? at['parameters'].length : 0
  checkDoubled(sources, at, operation.parameters.slice(0, listed))
  const inPath = new Set(parameterNames(template))
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'path') continue
    if (!inPath.delete(parameter.name)) {
      const message = `${template} has no parameter {${parameter.name}}`
      sources.warn({
        rule: 'parameter-unknown',
        at: parameter.object.value,
        member: 'name',
        message,
      })
    }
  }
  for (const name of inPath) {
    const message = `the path parameter {${name}} is not declared in parameters`
    sources.warn({ rule: 'parameter-undeclared', at, message })
  }
}

function checkResponses(sources: Sources, operation: OperationObject): void {
  const at = operation.object.value
  const responses = at['responses']
  // Their absence was reported with the structure.
  if (!isJsonObject(responses)) return
  let hasSuccess = false
  for (const status of Object.keys(responses)) {
    if (/^2([0-9]{2}|XX)$/.test(status)) hasSuccess = true
    if (/^([1-5]([0-9]{2}|XX)|default|x-.*)$/.test(status)) continue
    const message = 'is not a status code'
    sources.warn({
      rule: 'openapi-structure',
      at: responses,
      member: status,
      message,
      example: '200',
    })
  }
  if (hasSuccess) return
  sources.warn({
    rule: 'success-missing',
    at,
    member: 'responses',
    message: 'no 2xx response is described',
  })
}

function checkSecurity(sources: Sources, document: JsonObject, operation: OperationObject): void {
  const components = document['components']
  const known = isJsonObject(components) ? components['securitySchemes'] : undefined
  const schemes = new Set(objectMembersOf(known).map(([name]) => name))
  for (const holder of [document, operation.object.value]) {
    const list = holder['security']
    for (const requirement of isJsonArray(list) ? list : []) {
      if (!isJsonObject(requirement)) continue
      for (const name of Object.keys(requirement)) {
        if (schemes.has(name)) continue
        const message = 'is not among components.securitySchemes of this document'
        sources.warn({ rule: 'openapi-structure', at: requirement, member: name, message })
      }
    }
  }
}
