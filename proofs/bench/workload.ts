import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createDraw, type Draw, drawUuid } from '../../test/support/random.ts'
import { type BenchOperation, operations } from './operations.ts'
import type { Workbench } from './workbench.ts'

/** Requests in a file, for wrk.lua: each as its length on a line, then its bytes. */
export interface RequestList {
  readonly path: string
}

/** One request of a list. */
export interface BenchRequest {
  readonly method: string
  readonly target: string
  readonly key: string
  readonly body?: string
  /** Whether it asks for the end of its connection. */
  readonly closes?: boolean
}

export interface MixOptions extends Pick<BenchRequest, 'closes'> {
  /** One for each application. */
  readonly keys: readonly string[]
  /** Number of requests. (Default: 50,000.) */
  readonly length?: number
  /** (Default: GET.) */
  readonly method?: string
  /** (Default: that of an operation, with a drawn id.) */
  readonly target?: (draw: Draw) => string
  readonly body?: string
}

const seed = 20_261_121

/** Mixes operations and applications uniformly; the same way for the same options. */
export function* mix(options: MixOptions): Generator<BenchRequest> {
  const {
    keys,
    length = 50_000,
    method = 'GET',
    target = drawTarget,
    body,
    closes = false,
  } = options
  const draw = createDraw(seed)
  for (let made = 0; made < length; made += 1) {
    const request = { method, target: target(draw), key: pick(keys, draw), closes }
    yield body === undefined ? request : { ...request, body }
  }
}

/** Every operation once for every application: as many buckets as requests. */
export function* everyBucket(keys: readonly string[]): Generator<BenchRequest> {
  const draw = createDraw(seed)
  for (const operation of operations) {
    for (const key of keys) yield { method: 'GET', target: targetOf(operation, draw), key }
  }
}

/** Writes a list for wrk. */
export function writeRequests(
  bench: Workbench,
  name: string,
  requests: Iterable<BenchRequest>,
): RequestList {
  const path = join(bench.folder, `${name}.requests`)
  const file = openSync(path, 'w')
  try {
    for (const text of requestTexts(requests)) {
      writeSync(file, `${Buffer.byteLength(text)}\n${text}`)
    }
  } finally {
    closeSync(file)
  }
  return { path }
}

function drawTarget(draw: Draw): string {
  return targetOf(pick(operations, draw), draw)
}

/** @throws when the list is empty */
function pick<T>(list: readonly T[], draw: Draw): T {
  const picked = list[draw(list.length)]
  if (picked === undefined) throw new Error('nothing to pick from')
  return picked
}

function targetOf({ start, hasParameter }: BenchOperation, draw: Draw): string {
  return hasParameter ? start + drawUuid(draw) : start
}

/** The requests as a client of such an interface sends them. */
export function* requestTexts(requests: Iterable<BenchRequest>): Generator<string> {
  const draw = createDraw(seed)
  for (const request of requests) yield requestText(request, draw)
}

function requestText({ method, target, key, body, closes }: BenchRequest, draw: Draw): string {
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
  if (closes === true) lines.push('Connection: close')
  if (body !== undefined) {
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
}
