import type { RequestListener } from 'node:http'
import { type GrantedCall, madeByNode } from '../call.ts'

/** Sends a granted call to the backend. */
export type Forward = (call: GrantedCall) => void

/**
 * The way of a granted call to the forwarder. A call with a body goes through
 * Fastify and @fastify/http-proxy, whose handler then calls `forward`. Others
 * go there directly: that route has nothing left to decide and costs as much as
 * all checks (decision 15).
 *
 * @param throughProxy Fastify's own listener, which routes only the path "/"
 */
export function createRoad(forward: Forward, throughProxy: RequestListener): Forward {
  return (call) => {
    if (!call.hasBody) {
      forward(call)
      return
    }
    const { request, response } = madeByNode(call)
    request.url = '/'
    response.granted = call
    throughProxy(request, response)
  }
}
