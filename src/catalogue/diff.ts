import type { ApiVersion, JsonObject, Method, Operation } from './catalogue.ts'
import { type Change, type ChangedPart, changeOf } from './change.ts'
import {
  type CompareSchemasOptions,
  compareSchemas,
  isSameJson,
  type SamePairs,
} from './diff-schema.ts'
import {
  isSameParameter,
  type OperationObject,
  operationObject,
  type Parameter,
} from './documents/operation-object.ts'
import { type Located, member, membersOf } from './documents/reference.ts'
import { isJsonObject } from './json.ts'

export type { Change } from './change.ts'

/** An operation as a list names it. */
export interface DiffedOperation {
  readonly id: string
  readonly method: Method
  /** Without the version prefix. */
  readonly template: string
  readonly summary: string
}

export interface ChangedOperation extends DiffedOperation {
  /** At least one. */
  readonly changes: readonly Change[]
}

/** What moving from one version of an API to another means to a caller. */
export interface VersionDiff {
  readonly api: string
  readonly from: string
  readonly to: string
  readonly added: readonly DiffedOperation[]
  readonly removed: readonly DiffedOperation[]
  /** By the names and values a caller sees, however the documents are cut into fragments. */
  readonly changed: readonly ChangedOperation[]
}

/** Compares two versions operation by operation; an operation is the same when its operationId is. */
export function diffVersions(from: ApiVersion, to: ApiVersion): VersionDiff {
  const before = new Map(from.operations.map((operation) => [operation.id, operation]))
  const after = new Map(to.operations.map((operation) => [operation.id, operation]))
  const changed: ChangedOperation[] = []
  const same: SamePairs = new WeakMap()
  for (const [id, young] of after) {
    const old = before.get(id)
    if (old === undefined) continue
    const changes = compareOperations(
      { version: from, operation: old, same },
      { version: to, operation: young, same },
    )
    if (changes.length > 0) changed.push({ ...summaryOf(young), changes })
  }
  return {
    api: to.api,
    from: from.version,
    to: to.version,
    added: to.operations.filter(({ id }) => !before.has(id)).map(summaryOf),
    removed: from.operations.filter(({ id }) => !after.has(id)).map(summaryOf),
    changed,
  }
}

function summaryOf({ id, method, template, summary }: Operation): DiffedOperation {
  return { id, method, template, summary }
}

interface Side {
  readonly version: ApiVersion
  readonly operation: Operation
  readonly same: SamePairs
}

/** An operation with the document its references are followed in. */
interface Read {
  readonly document: JsonObject
  readonly object: OperationObject
  readonly same: SamePairs
}

function compareOperations(old: Side, young: Side): readonly Change[] {
  const changes: Change[] = []
  const moved = [old, young].map(({ operation }) => `${operation.method} ${operation.template}`)
  if (moved[0] !== moved[1]) {
    const [from = '', to = ''] = moved
    changes.push(
      changeOf({ part: operationPart, verb: 'moved', values: { from, to }, isBreaking: true }),
    )
  }
  const before = read(old)
  const after = read(young)
  return [
    ...changes,
    ...compareRoles(old.operation, young.operation),
    ...compareMarks(before, after),
    ...compareParameters(before, after),
    ...compareRequestBodies(before, after),
    ...compareResponses(before, after),
  ]
}

function read({ version, operation, same }: Side): Read {
  const document = version.document.read()
  const object = operationObject(document, operation.template, operation.method)
  if (object === undefined) throw new Error(`the document does not have ${operation.id}`)
  return { document, object, same }
}

const operationPart: ChangedPart = { kind: 'operation' }

function compareMarks(before: Read, after: Read): readonly Change[] {
  const changes: Change[] = []
  const part = operationPart
  const wasDeprecated = before.object.object.value['deprecated'] === true
  const isDeprecated = after.object.object.value['deprecated'] === true
  if (wasDeprecated !== isDeprecated) {
    const verb = isDeprecated ? 'deprecated' : 'undeprecated'
    changes.push(changeOf({ part, verb, isBreaking: false }))
  }
  if (!isSameJson(securityOf(before), securityOf(after))) {
    changes.push(changeOf({ part, verb: 'credentials', isBreaking: true }))
  }
  return changes
}

/** A call with a certificate of another role is refused. */
function compareRoles(old: Operation, young: Operation): readonly Change[] {
  if (old.psd2Role === young.psd2Role) return []
  const values = { from: old.psd2Role ?? 'any', to: young.psd2Role ?? 'any' }
  const isBreaking = young.psd2Role !== undefined
  return [changeOf({ part: operationPart, verb: 'psd2Role', values, isBreaking })]
}

function securityOf({ document, object }: Read): JsonObject[string] {
  return object.object.value['security'] ?? document['security'] ?? []
}

function compareParameters(before: Read, after: Read): readonly Change[] {
  const changes: Change[] = []
  for (const old of before.object.parameters) {
    if (after.object.parameters.some((young) => isSameParameter(old, young))) continue
    changes.push(changeOf({ part: parameterPart(old), verb: 'removed', isBreaking: true }))
  }
  for (const young of after.object.parameters) {
    const part = parameterPart(young)
    const old = before.object.parameters.find((parameter) => isSameParameter(parameter, young))
    if (old === undefined) {
      const verb = young.isRequired ? 'addedRequired' : 'addedOptional'
      changes.push(changeOf({ part, verb, isBreaking: young.isRequired }))
      continue
    }
    if (old.isRequired !== young.isRequired) changes.push(requirement(part, young.isRequired))
    for (const rule of ['explode', 'style']) {
      if (old.object.value[rule] === young.object.value[rule]) continue
      changes.push(changeOf({ part, verb: 'rewritten', values: { rule }, isBreaking: true }))
    }
    const held = { before, old: old.object, after, young: young.object, part }
    changes.push(...compareHeld({ ...held, direction: 'request' }))
  }
  return changes
}

const places = ['header', 'query', 'path', 'cookie'] as const

function parameterPart({ in: place, name }: Parameter): ChangedPart {
  return { kind: places.find((known) => known === place) ?? 'query', name }
}

function requirement(part: ChangedPart, isRequired: boolean): Change {
  return changeOf({ part, verb: isRequired ? 'required' : 'optional', isBreaking: isRequired })
}

/** The same part of two operations. */
interface Pair extends Pick<CompareSchemasOptions, 'part' | 'direction'> {
  readonly before: Read
  readonly old: Located
  readonly after: Read
  readonly young: Located
}

/** Compares the schemas of two parameters, headers or media types. */
function compareHeld({ before, old, after, young, ...shared }: Pair): readonly Change[] {
  return compareSchemas({
    ...shared,
    before: { document: before.document, schema: old.value['schema'] },
    after: { document: after.document, schema: young.value['schema'] },
    same: before.same,
  })
}

function compareRequestBodies(before: Read, after: Read): readonly Change[] {
  const part: ChangedPart = { kind: 'body' }
  const old = before.object.requestBody
  const young = after.object.requestBody
  if (old === undefined && young === undefined) return []
  const isRequired = young?.value['required'] === true
  if (old === undefined) {
    const verb = isRequired ? 'addedRequired' : 'addedOptional'
    return [changeOf({ part, verb, isBreaking: isRequired })]
  }
  if (young === undefined) return [changeOf({ part, verb: 'removed', isBreaking: true })]
  const wasRequired = old.value['required'] === true
  return [
    ...(wasRequired === isRequired ? [] : [requirement(part, isRequired)]),
    ...compareContents({ before, old, after, young, part, direction: 'request' }),
  ]
}

function compareContents(pair: Pair): readonly Change[] {
  const { before, old, after, young, part } = pair
  const changes: Change[] = []
  const oldTypes = isJsonObject(old.value['content']) ? Object.keys(old.value['content']) : []
  const youngTypes = isJsonObject(young.value['content']) ? Object.keys(young.value['content']) : []
  for (const type of oldTypes) {
    if (youngTypes.includes(type)) continue
    changes.push(changeOf({ part, verb: 'mediaTypeRemoved', values: { type }, isBreaking: true }))
  }
  for (const type of youngTypes) {
    const oldMedia = member(before.document, old, 'content', type)
    const youngMedia = member(after.document, young, 'content', type)
    if (oldMedia === undefined || youngMedia === undefined) {
      changes.push(changeOf({ part, verb: 'mediaTypeAdded', values: { type }, isBreaking: false }))
    } else changes.push(...compareHeld({ ...pair, old: oldMedia, young: youngMedia }))
  }
  return changes
}

function compareResponses(before: Read, after: Read): readonly Change[] {
  const changes: Change[] = []
  const oldByStatus = new Map(before.object.responses)
  const youngByStatus = new Map(after.object.responses)
  for (const status of oldByStatus.keys()) {
    if (youngByStatus.has(status)) continue
    const part: ChangedPart = { kind: 'response', status }
    changes.push(changeOf({ part, verb: 'removed', isBreaking: status.startsWith('2') }))
  }
  for (const [status, young] of youngByStatus) {
    const part: ChangedPart = { kind: 'response', status }
    const old = oldByStatus.get(status)
    if (old === undefined) changes.push(changeOf({ part, verb: 'added', isBreaking: false }))
    else {
      const pair: Pair = { before, old, after, young, part, direction: 'response' }
      changes.push(...compareHeaders(pair, status), ...compareContents(pair))
    }
  }
  return changes
}

function compareHeaders(pair: Pair, status: string): readonly Change[] {
  const { before, old, after, young } = pair
  const changes: Change[] = []
  const oldHeaders = byLowerName(membersOf(before.document, old, 'headers'))
  const youngHeaders = byLowerName(membersOf(after.document, young, 'headers'))
  for (const [key, { name }] of oldHeaders) {
    if (youngHeaders.has(key)) continue
    const part: ChangedPart = { kind: 'responseHeader', status, name }
    changes.push(changeOf({ part, verb: 'removed', isBreaking: true }))
  }
  for (const [key, { name, header }] of youngHeaders) {
    const part: ChangedPart = { kind: 'responseHeader', status, name }
    const known = oldHeaders.get(key)
    if (known === undefined) {
      changes.push(changeOf({ part, verb: 'added', isBreaking: false }))
      continue
    }
    const wasAlways = known.header.value['required'] === true
    const isAlways = header.value['required'] === true
    if (wasAlways !== isAlways) {
      const verb = isAlways ? 'alwaysSent' : 'notAlwaysSent'
      changes.push(changeOf({ part, verb, isBreaking: wasAlways }))
    }
    changes.push(...compareHeld({ ...pair, old: known.header, young: header, part }))
  }
  return changes
}

function byLowerName(
  headers: readonly (readonly [string, Located])[],
): ReadonlyMap<string, { readonly name: string; readonly header: Located }> {
  return new Map(headers.map(([name, header]) => [name.toLowerCase(), { name, header }]))
}
