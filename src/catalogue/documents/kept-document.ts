import type { KeptDocument, OpenApiDocument } from '../catalogue.ts'
import { deepFreeze } from '../json.ts'

/** Octets of JSON whose objects stay in memory, which take about five times as many. */
const readMax = 16 * 1024 * 1024

/** What was read last comes last. */
const read = new Map<Buffer, OpenApiDocument>()
let octets = 0

/**
 * Keeps a document as JSON, and its objects only while it is among those that
 * were read last. A catalogue may have thousands of documents: their objects
 * would take gigabytes, and every full garbage collection would visit them.
 */
export function keptDocument(document: OpenApiDocument): KeptDocument {
  const json = Buffer.from(JSON.stringify(document))
  const { paths: _, components: __, ...head } = document
  return { head: deepFreeze(structuredClone(head)), json: () => json, read: () => readAgain(json) }
}

function readAgain(json: Buffer): OpenApiDocument {
  const known = read.get(json)
  if (known === undefined) octets += json.length
  const document = known ?? deepFreeze(JSON.parse(json.toString('utf8')) as OpenApiDocument)
  read.delete(json)
  read.set(json, document)
  for (const oldest of read.keys()) {
    if (octets <= readMax || oldest === json) break
    octets -= oldest.length
    read.delete(oldest)
  }
  return document
}
