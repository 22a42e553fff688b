import { LRUCache } from 'lru-cache'
import type { JsonObject, KeptDocument, OpenApiDocument } from '../catalogue.ts'
import { deepFreeze, isJsonObject } from '../json.ts'
import { upgrade } from './upgrade.ts'

/** Octets of JSON whose objects stay in memory, where they take about five times as many. */
const readOctetsMax = 16 * 1024 * 1024

const read = new LRUCache<Buffer, OpenApiDocument>({
  maxSize: readOctetsMax,
  sizeCalculation: (_, json) => json.length,
})

/**
 * Keeps a document as JSON, and its objects only while it is among those that
 * were read last. A catalogue may have thousands of documents: their objects
 * would take gigabytes, and every full garbage collection would visit them.
 *
 * @param source as its file has it, in one piece
 */
export function keptDocument(source: JsonObject): KeptDocument {
  const json = Buffer.from(JSON.stringify(source))
  const { info, 'x-products': products, 'x-sample-flows': flows } = source
  return keptJson(
    deepFreeze({
      info: isJsonObject(info) ? info : {},
      'x-products': products,
      'x-sample-flows': flows,
    }),
    json,
  )
}

/** @param head see {@link KeptDocument.head}; frozen */
export function keptJson(head: KeptDocument['head'], json: Buffer): KeptDocument {
  return { head, json: () => json, read: () => readAgain(json) }
}

function readAgain(json: Buffer): OpenApiDocument {
  const known = read.get(json)
  if (known !== undefined) return known
  const document = deepFreeze(upgrade(JSON.parse(json.toString('utf8'))))
  read.set(json, document)
  return document
}
