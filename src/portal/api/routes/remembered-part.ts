import { LRUCache } from 'lru-cache'
import type { OpenApiDocument } from '../../../catalogue/catalogue.ts'
import { partOfDocument } from '../../documents/part-of-document.ts'

/** Characters of all parts that are kept. */
const keptCharactersMax = 16 * 1024 * 1024

/**
 * Creates {@link partOfDocument} for a route that anyone may ask a thousand
 * times a second: the parts used last are kept, each for its very document.
 */
export function createRememberedPart(): typeof partOfDocument {
  const numbers = new WeakMap<OpenApiDocument, number>()
  let last = 0
  const parts = new LRUCache<string, OpenApiDocument>({
    maxSize: keptCharactersMax,
    sizeCalculation: (part) => JSON.stringify(part).length,
  })
  return (document, operation) => {
    const number = numbers.get(document) ?? ++last
    numbers.set(document, number)
    const name = `${number} ${operation.method} ${operation.template}`
    const part = parts.get(name) ?? partOfDocument(document, operation)
    if (!parts.has(name)) parts.set(name, part)
    return part
  }
}
