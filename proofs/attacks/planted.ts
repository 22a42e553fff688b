import type { Findings } from './judge.ts'

/** A fault put into the gateway, to see that the suite finds it. */
export interface PlantedFault {
  readonly name: string
  /** Below `src/gateway`. */
  readonly file: string
  readonly from: string
  readonly to: string
  /** Where it must show. */
  readonly foundIn: keyof Findings
}

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'double decoding',
    file: 'edge/checks/target.ts',
    from: 'const writtenPath = mark === -1 ? origin : origin.slice(0, mark)',
    to: 'const writtenPath = decodeURIComponent(decodeURIComponent(mark === -1 ? origin : origin.slice(0, mark)))',
    foundIn: 'bypasses',
  },
  {
    name: 'paths without case',
    file: 'edge/checks/target.ts',
    from: 'const writtenPath = mark === -1 ? origin : origin.slice(0, mark)',
    to: 'const writtenPath = (mark === -1 ? origin : origin.slice(0, mark)).toLowerCase()',
    foundIn: 'bypasses',
  },
  {
    name: 'encoded text of a path',
    file: 'edge/checks/route.ts',
    from: 'if (writtenPath === path) return undefined',
    to: 'return undefined',
    foundIn: 'bypasses',
  },
  {
    name: 'a parameter alone before text',
    file: '../catalogue/router.ts',
    from: 'for (const { texts, node: mixed } of node.mixed) {',
    to: 'const alone = below(node.parameter, path, next)\n    if (alone !== undefined) return alone\n    for (const { texts, node: mixed } of node.mixed) {',
    foundIn: 'bypasses',
  },
  {
    name: 'an unstripped header',
    file: 'edge/forward/passing-fields.ts',
    from: 'names.has(name)',
    to: "names.has(name) || name.startsWith('x-envoy-')",
    foundIn: 'bypasses',
  },
  {
    name: 'a key in the query is taken',
    file: 'edge/checks/authenticate.ts',
    from: 'if (hasKeyInQuery(call.query, call.version, call.operation))',
    to: 'if (false)',
    foundIn: 'bypasses',
  },
  {
    name: 'a GET may have a body',
    file: 'edge/checks/body.ts',
    from: "!operation.hasBody && (method === 'GET' || method === 'DELETE')",
    to: 'false',
    foundIn: 'bypasses',
  },
  {
    name: 'a lenient parser',
    file: '../platform/http/http-server.ts',
    from: 'maxHeaderSize: 16_384,',
    to: 'maxHeaderSize: 16_384, insecureHTTPParser: true,',
    foundIn: 'bypasses',
  },
  {
    name: 'a lost count',
    file: 'edge/checks/limit.ts',
    from: 'rehearse(call)\n    counter.grant(',
    to: "if (call.hasBody) return next(call.granted({ admitted: true, decision: 'admitted', standings: [], retryAfterMs: 0 }))\n    counter.grant(",
    foundIn: 'uncounted',
  },
  {
    name: 'a second try',
    file: 'edge/forward/exchange.ts',
    from: 'this.#dispatched = pool.dispatch(request, this)',
    to: 'this.#dispatched = pool.dispatch(request, Object.assign(Object.create(this), { onHead: (...all) => this.onHead(...all), onBody: (...all) => this.onBody(...all), onEnd: () => this.onEnd(), onError: (error) => this.#status === 0 && !this.again ? ((this.again = true), pool.dispatch(request, this)) : this.onError(error) }))',
    foundIn: 'uncounted',
  },
  {
    name: 'an early 100 Continue',
    file: 'edge/request/upload.ts',
    from: 'if (response.socket !== null) this.#continue()',
    to: "if (response.socket !== null || request.socket.write('HTTP/1.1 100 Continue\\r\\n\\r\\n')) {}",
    foundIn: 'desyncs',
  },
  {
    name: 'a connection kept after an answer behind the answer',
    file: 'upstream/connection.ts',
    from: 'if (isSound && isSent &&',
    to: 'if (isSent &&',
    foundIn: 'desyncs',
  },
  {
    name: 'a refusal in front of an answer that is due',
    file: '../platform/http/unreadable.ts',
    from: 'if (exchange === undefined || isOver(exchange) || isBodyBroken(exchange)) {',
    to: 'if (true) {',
    foundIn: 'otherwise',
  },
  {
    name: 'a connection kept after a broken message',
    file: 'edge/answer/refuse.ts',
    from: '(closing.has(refusal.code) && !isWhole) || call.isBodyUncertain',
    to: 'call.isBodyUncertain',
    foundIn: 'otherwise',
  },
  {
    name: 'any number of chunks',
    file: 'edge/request/chunk-framing.ts',
    from: 'this.#chunks > chunksMax',
    to: 'false',
    foundIn: 'otherwise',
  },
  {
    name: 'an uncaught error',
    file: 'edge/listener.ts',
    from: "app.server.on('connect', ({ socket }, stream) => {",
    to: "app.server.on('connect', ({ socket }, stream) => {\n    if (stream) throw new Error('planted')",
    foundIn: 'crashes',
  },
]
