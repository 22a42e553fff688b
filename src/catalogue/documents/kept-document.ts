import type { JsonObject, KeptDocument, OpenApiDocument } from '../catalogue.ts'
import { deepFreeze } from '../json.ts'
import { upgraded } from './upgrade.ts'

/** Octets of JSON whose objects stay in memory, where they take about five times as many. */
export const readOctetsMax = 16 * 1024 * 1024

/** What was read last comes last. */
const read = new Map<Buffer, OpenApiDocument>()
let octets = 0

/**
 * Keeps a document as JSON, and its objects only while it is among those that
 * were read last. A catalogue may have thousands of documents: their objects
 * would take gigabytes, and every full garbage collection would visit them.
 *
 * @param source as its file has it, in one piece
 */
export function keptDocument(source: JsonObject): KeptDocument {
  const json = Buffer.from(JSON.stringify(source))
  const { paths: _, components, definitions, parameters, responses, ...head } = source
  return { head: deepFreeze(structuredClone(head)), json: () => json, read: () => readAgain(json) }
}

function readAgain(json: Buffer): OpenApiDocument {
  const known = read.get(json)
  if (known === undefined) octets += json.length
  const document = known ?? deepFreeze(upgraded(JSON.parse(json.toString('utf8'))))
  read.delete(json)
  read.set(json, document)
  for (const oldest of read.keys()) {
    if (octets <= readOctetsMax || oldest === json) break
    octets -= oldest.length
    read.delete(oldest)
  }
  return document
}
