import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../test/support/free-port.ts'
import { operations, prefix, uploadTemplate } from '../operations.ts'
import { startPinned } from '../process.ts'
import { targetCore } from '../two-cores.ts'
import type { Peer, World } from './peer.ts'

const program = '/usr/sbin/haproxy'

/** Why HAProxy cannot run here; undefined if it is installed. */
export function haproxyMissing(): string | undefined {
  return existsSync(program) ? undefined : 'haproxy is not installed (Debian: haproxy)'
}

/**
 * Looks up keys in a map and operations in a map of prefixes. A stick table
 * counts the calls of the last hour by application and operation: a sliding
 * window in one process, lost when that process ends.
 */
export async function startHaproxyPeer(world: World): Promise<Peer> {
  const folder = join(world.bench.folder, 'haproxy')
  mkdirSync(folder)
  const keys = world.keys.map((key, index) => `${key} application-${index}\n`)
  writeFileSync(join(folder, 'keys.map'), keys.join(''))
  const starts = operations.map(({ start, id }) => `${start} ${id}\n`)
  const upload = `${prefix}${uploadTemplate} upload\n`
  writeFileSync(join(folder, 'operations.map'), [...starts, upload].join(''))
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configuration(folder, port, world.backendUrl))
  const target = await startPinned({
    core: targetCore,
    command: program,
    args: ['-db', '-q', '-f', file],
    ready: port,
  })
  world.bench.undo(() => target.stop())
  return { name: 'HAProxy + stick table', url: `http://127.0.0.1:${port}`, target }
}

function configuration(folder: string, port: number, backendUrl: string): string {
  return `global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 10s
  timeout http-keep-alive 65s
  option http-keep-alive
  http-reuse always
frontend public
  bind 127.0.0.1:${port}
  http-request set-var(txn.application) req.hdr(x-api-key),map(${folder}/keys.map)
  http-request deny deny_status 401 unless { var(txn.application) -m found }
  http-request set-var(txn.operation) path,map_beg(${folder}/operations.map)
  http-request deny deny_status 404 unless { var(txn.operation) -m found }
  http-request track-sc0 var(txn.application),concat(:,txn.operation,) table calls
  http-request deny deny_status 429 if { sc0_http_req_rate(calls) gt 1000000000 }
  http-response set-header RateLimit-Policy '"default";q=1000000000;w=3600'
  default_backend bank
backend calls
  stick-table type string len 64 size 200k expire 1h store http_req_rate(1h)
backend bank
  server one ${new URL(backendUrl).host} pool-max-conn 256 pool-purge-delay 60s
`
}
