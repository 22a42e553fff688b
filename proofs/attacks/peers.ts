import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiVersion, Catalogue } from '../../src/catalogue/catalogue.ts'
import type { Test } from '../../test/support/database.ts'
import { freePort } from '../../test/support/free-port.ts'
import { nginxMissing, startNginx } from '../bench/nginx.ts'
import { startPinned } from '../bench/process.ts'

/** A proxy that gets the same inputs, for comparison. */
export interface Peer {
  readonly name: string
  /** Origin. */
  readonly url: string
}

const haproxy = '/usr/sbin/haproxy'
const core = 0

/** Says why the peers cannot run here; undefined when they can. */
export function peersMissing(): string | undefined {
  const missing = nginxMissing()
  if (missing !== undefined) return missing
  return existsSync(haproxy) ? undefined : 'haproxy is not installed (Debian: haproxy)'
}

/**
 * Starts nginx and HAProxy as their manuals put them in front of a backend:
 * published prefixes only, which the backend's paths replace, a key of the right
 * form only, kept-alive connections. Neither knows operations, so neither can be
 * as narrow as a gateway; how they read messages is their own.
 */
export async function startPeers(
  t: Test,
  { catalogue, backendUrl }: { readonly catalogue: Catalogue; readonly backendUrl: string },
): Promise<Peer[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tg-attacks-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const { host } = new URL(backendUrl)
  const versions = [...catalogue.versions.values()]
  const bench = {
    folder,
    undo: (action: () => Promise<void> | void) => t.teardown(action),
    close: async () => undefined,
  }
  const nginx = await startNginx(bench, {
    name: 'nginx',
    core,
    http: () => `upstream bank { server ${host}; keepalive 64; }
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_set_header Host bank.example;`,
    server: `if ($http_x_api_key !~ "^tg_[0-9]+$") { return 401; }
    ${versions.map(({ prefix, basePath }) => `location ${prefix}/ { proxy_pass http://bank${prefix === basePath ? '' : `${basePath}/`}; }`).join('\n    ')}
    location / { return 404; }`,
  })
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, haproxyConfiguration(port, host, versions))
  const target = await startPinned({
    core,
    command: haproxy,
    args: ['-db', '-q', '-f', file],
    ready: port,
  })
  t.teardown(() => target.stop())
  return [
    { name: 'nginx', url: nginx.url },
    { name: 'HAProxy', url: `http://127.0.0.1:${port}` },
  ]
}

function haproxyConfiguration(
  port: number,
  backend: string,
  versions: readonly ApiVersion[],
): string {
  const prefixes = versions.map(({ prefix }) => `${prefix}/`).join(' ')
  const moved = versions.filter(({ prefix, basePath }) => prefix !== basePath)
  return `global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 10s
  http-reuse safe
frontend public
  bind 127.0.0.1:${port}
  http-request deny deny_status 401 unless { req.hdr(x-api-key) -m reg ^tg_[0-9]+$ }
  http-request deny deny_status 404 unless { path_beg ${prefixes} }
  ${moved.map(({ prefix, basePath }) => `http-request replace-path ^${prefix.replaceAll('.', '\\.')}/(.*) ${basePath}/\\1`).join('\n  ')}
  default_backend bank
backend bank
  server one ${backend}
`
}
