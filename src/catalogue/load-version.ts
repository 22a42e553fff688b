import { bundle } from './bundle.ts'
import type { JsonObject, Lifecycle, OpenApiDocument } from './catalogue.ts'
import { type CheckedOperation, checkOperations, type Route } from './check-operations.ts'
import { checkEndlessReferences, checkResponseSchemas } from './check-schemas.ts'
import { isJsonObject, objectsOf } from './json.ts'
import { parseDate } from './lifecycle.ts'
import type { Sources } from './source.ts'
import { isVersionNumber, versionPrefix } from './version-number.ts'

export interface LoadVersionOptions {
  readonly sources: Sources
  /** Path of the document, below the folder of the configuration: `apis/xs2a/1.7.0.yaml`. */
  readonly path: string
  readonly api: string
  readonly version: string
}

/** A version as far as its own document describes it. */
export interface LoadedVersion {
  readonly api: string
  readonly version: string
  readonly title: string
  readonly prefix: string
  readonly lifecycle: Lifecycle
  readonly operations: readonly CheckedOperation[]
  readonly routes: readonly Route[]
  readonly document: OpenApiDocument
}

/**
 * Loads the document of one version and reports everything that is wrong
 * within it.
 *
 * @returns undefined without a usable document; otherwise its valid parts, even if problems were reported
 */
export function loadVersion(options: LoadVersionOptions): LoadedVersion | undefined {
  const { sources, api, version } = options
  const prefix = versionPrefix(version)
  const document = bundle(options)
  if (document === undefined || !isDocument(document)) return undefined
  checkOpenApiVersion(sources, document)
  checkInfoVersion(sources, document.info, version)
  checkServers(sources, document, prefix)
  const lifecycle = readLifecycle(sources, document.info)
  const { checked: operations, routes, all } = checkOperations(sources, document)
  checkEndlessReferences(sources, document)
  checkResponseSchemas(sources, document, all)
  const title = typeof document.info['title'] === 'string' ? document.info['title'] : api
  return { api, version, title, prefix, lifecycle, operations, routes, document }
}

function isDocument(document: JsonObject): document is OpenApiDocument {
  return (
    typeof document['openapi'] === 'string' &&
    isJsonObject(document['info']) &&
    isJsonObject(document['paths'])
  )
}

function checkOpenApiVersion(sources: Sources, document: OpenApiDocument): void {
  if (/^3\.1\.[0-9]+$/.test(document.openapi)) return
  const message = `${JSON.stringify(document.openapi)} is not a version of OpenAPI 3.1`
  sources.report({
    rule: 'openapi-structure',
    at: document,
    member: 'openapi',
    message,
    example: '3.1.1',
  })
}

function checkInfoVersion(sources: Sources, info: JsonObject, version: string): void {
  const stated = info['version']
  // Its absence, or another type, was reported with the structure.
  if (typeof stated !== 'string') return
  const place = { at: info, member: 'version' }
  if (!isVersionNumber(stated)) {
    const message = `${JSON.stringify(stated)} is not major.minor.patch`
    sources.report({ rule: 'version-format', ...place, message, example: version })
  } else if (stated !== version) {
    const message = `${JSON.stringify(stated)} is not the version of the file's name, ${version}`
    sources.report({ rule: 'version-mismatch', ...place, message })
  }
}

function checkServers(sources: Sources, document: OpenApiDocument, prefix: string): void {
  const servers = objectsOf(document['servers'])
  for (const at of servers) {
    const { url } = at
    if (typeof url !== 'string' || url.endsWith(prefix)) continue
    const message = `${JSON.stringify(url)} does not end with the prefix of the version`
    sources.report({ rule: 'servers-url', at, member: 'url', message, example: prefix })
  }
  if (servers.length > 0 || document['servers'] === undefined) return
  const message = 'must name the address of the version'
  sources.report({
    rule: 'servers-url',
    at: document,
    member: 'servers',
    message,
    example: `url: ${prefix}`,
  })
}

const lifecycleDates = ['deprecated', 'sunset', 'retired'] as const

/** Reads `info.x-lifecycle`; what is wrong in it is reported and left out. */
function readLifecycle(sources: Sources, info: JsonObject): Lifecycle {
  const at = info['x-lifecycle']
  if (at === undefined) return {}
  if (!isJsonObject(at)) {
    const message = 'must be a mapping'
    sources.report({ rule: 'lifecycle-member', at: info, member: 'x-lifecycle', message })
    return {}
  }
  const lifecycle: { -readonly [member in keyof Lifecycle]: Lifecycle[member] } = {}
  for (const [member, value] of Object.entries(at)) {
    const date = lifecycleDates.find((name) => name === member)
    if (date !== undefined) {
      if (typeof value === 'string' && parseDate(value) !== undefined) lifecycle[date] = value
      else {
        const message = `${JSON.stringify(value)} is not a day of the calendar`
        sources.report({ rule: 'lifecycle-date', at, member, message, example: '2027-10-31' })
      }
    } else if (member === 'successor') {
      if (typeof value === 'string') lifecycle.successor = value
      else reportSuccessor(sources, at, `${JSON.stringify(value)} is not a version`)
    } else {
      const message = `is not known; there are: ${[...lifecycleDates, 'successor'].join(', ')}`
      sources.report({ rule: 'lifecycle-member', at, member, message })
    }
  }
  checkOrder(sources, at, lifecycle)
  return lifecycle
}

/** Reports an invalid successor; whether it exists is known only when all versions are loaded. */
export function reportSuccessor(sources: Sources, at: JsonObject, message: string): void {
  const example = '"1.7.0"'
  sources.report({ rule: 'lifecycle-successor', at, member: 'successor', message, example })
}

function checkOrder(sources: Sources, at: JsonObject, lifecycle: Lifecycle): void {
  let last: { name: string; date: string } | undefined
  for (const name of lifecycleDates) {
    const date = lifecycle[name]
    if (date === undefined) continue
    // ISO dates sort as text.
    if (last !== undefined && date < last.date) {
      const message = `${date} is before ${last.name}, ${last.date}`
      sources.report({ rule: 'lifecycle-order', at, member: name, message })
    }
    last = { name, date }
  }
}
