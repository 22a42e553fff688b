import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { onSendAsyncHookHandler } from 'fastify'
import { LRUCache } from 'lru-cache'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Below this size the answer fits into the first packet anyway. */
const bytesMin = 1_400

/** Characters of the answers that a hook keeps compressed: documents of versions, their parts, and their list. */
const keptCharactersMax = 16 * 1024 * 1024

/**
 * Creates the hook that compresses the answers of a route for clients that
 * accept it, and keeps what it compressed. Only for answers that are the same for
 * everyone and hold no secret: the size of a compressed answer reveals something about its content.
 */
export function createCompression(): onSendAsyncHookHandler {
  const kept = new LRUCache<string, Promise<Buffer>>({
    maxSize: keptCharactersMax,
    // A compressed answer is smaller than its text.
    sizeCalculation: (_made, name) => name.length,
  })

  function compressed(text: string, encoding: 'br' | 'gzip'): Promise<Buffer> {
    const name = `${encoding} ${text}`
    const known = kept.get(name)
    if (known !== undefined) return known
    const made = encoding === 'br' ? brotli(text, { params }) : zip(text)
    kept.set(name, made)
    return made
  }

  return async ({ headers }, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < bytesMin) return payload
    reply.header('vary', 'accept-encoding')
    const accepted = headers['accept-encoding'] ?? ''
    const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined
    if (encoding === undefined) return payload
    reply.header('content-encoding', encoding)
    return compressed(payload, encoding)
  }
}

/** Higher qualities take ten times as long and gain a few percent. */
const params = { [constants.BROTLI_PARAM_QUALITY]: 6 }

/** Compresses a document made for one request, which holds no secret. */
export const compressOnce: onSendAsyncHookHandler = async ({ headers }, reply, payload) => {
  if (typeof payload !== 'string' || !/\bgzip\b/.test(headers['accept-encoding'] ?? '')) {
    return payload
  }
  reply.headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
  return zip(payload, { level: 5 })
}
