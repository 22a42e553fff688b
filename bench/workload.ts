import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchOperation, operations } from './operations.ts'
import { createDraw, type Draw, drawUuid } from './random.ts'
import type { Workbench } from './workbench.ts'

/** Requests in a file, for wrk.lua: each as its length on a line, then its bytes. */
export interface RequestList {
  readonly path: string
}

/** How many requests a list has unless told otherwise. */
const listLength = 50_000
const seed = 20_261_121

export interface WorkloadOptions {
  readonly name: string
  /** One for each application. */
  readonly keys: readonly string[]
  readonly length?: number
  readonly method?: string
  /** (Default: that of an operation, with a drawn id.) */
  readonly target?: (draw: Draw) => string
  readonly body?: string
}

/** Writes a list of requests that mixes operations and applications uniformly; the same one for the same options. */
export function writeWorkload(bench: Workbench, options: WorkloadOptions): RequestList {
  const { name, keys, length = listLength, method = 'GET', target = drawTarget, body } = options
  const draw = createDraw(seed)
  const chunks: string[] = []
  for (let made = 0; made < length; made += 1) {
    const key = keys[draw(keys.length)] ?? ''
    const request = requestText({ method, target: target(draw), key, body, draw })
    chunks.push(`${Buffer.byteLength(request)}\n${request}`)
  }
  const path = join(bench.folder, `${name}.requests`)
  writeFileSync(path, chunks.join(''))
  return { path }
}

/** A target of any of the operations. */
export function drawTarget(draw: Draw): string {
  const operation = operations[draw(operations.length)]
  return operation === undefined ? '/' : targetOf(operation, draw)
}

/** A target of this operation. */
export function targetOf({ start, hasParameter }: BenchOperation, draw: Draw): string {
  return hasParameter ? start + drawUuid(draw) : start
}

interface RequestParts {
  readonly method: string
  readonly target: string
  readonly key: string
  readonly body: string | undefined
  readonly draw: Draw
}

/** What a client of such an interface sends. */
function requestText({ method, target, key, body, draw }: RequestParts): string {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: api.bank.example',
    'User-Agent: bank-client/2.4 (+https://developer.example)',
    'Accept: application/json',
    `X-Request-ID: ${drawUuid(draw)}`,
    `X-API-Key: ${key}`,
    `Consent-ID: ${drawUuid(draw)}`,
    'PSU-IP-Address: 192.0.2.7',
  ]
  if (body !== undefined) {
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
}
