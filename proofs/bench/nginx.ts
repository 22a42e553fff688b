import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { protocol } from '../../src/platform/http/tls.ts'
import type { IssuedCertificate } from '../../test/support/certificates.ts'
import { freePort } from '../../test/support/free-port.ts'
import { type PinnedProcess, startPinned } from './process.ts'
import type { Workbench } from './workbench.ts'

const program = '/usr/sbin/nginx'
const modules = '/usr/lib/nginx/modules'

/** Says why there is no nginx here; undefined when there is one. */
export function nginxMissing(): string | undefined {
  return existsSync(program) ? undefined : 'nginx is not installed (Debian: nginx)'
}

/** The same of its Lua module and of the Redis client for it. */
export function nginxLuaMissing(): string | undefined {
  const missing = nginxMissing()
  if (missing !== undefined) return missing
  if (!existsSync(join(modules, 'ngx_http_lua_module.so')))
    return 'nginx has no Lua module (Debian: libnginx-mod-http-lua)'
  if (!existsSync('/usr/share/lua/5.1/nginx/redis.lua'))
    return 'the Redis client of its Lua module is not installed (Debian: lua-nginx-redis)'
  return undefined
}

export interface NginxOptions {
  readonly name: string
  readonly core: number
  /** Words in front of the command. (Default: none) */
  readonly before?: readonly string[]
  readonly withLua?: boolean
  /** Ends TLS with the gateway's ciphers and without resumption; undefined: plain. */
  readonly tls?: Pick<IssuedCertificate, 'certFile' | 'keyFile'>
  /** Processes that accept connections. (Default: 1) */
  readonly workers?: number
  /** Directives of the http block outside the server. */
  readonly http?: (port: number) => string
  /** Directives of the server. */
  readonly server: string
}

export interface RunningNginx {
  readonly url: string
  readonly target: PinnedProcess
}

/**
 * Starts an nginx without an access log in its own folder. One worker is
 * the process itself; several have a master, which adds nothing to a call.
 */
export async function startNginx(bench: Workbench, options: NginxOptions): Promise<RunningNginx> {
  const port = await freePort()
  const folder = join(bench.folder, options.name)
  mkdirSync(folder)
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, configuration(options, port, folder))
  const target = await startPinned({
    core: options.core,
    before: options.before ?? [],
    command: program,
    args: ['-p', folder, '-c', file, '-e', join(folder, 'error.log')],
    ready: port,
  })
  bench.undo(() => target.stop())
  return { url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`, target }
}

function configuration(options: NginxOptions, port: number, folder: string): string {
  const { workers = 1 } = options
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder};`)
    .join('\n  ')
  const loaded =
    options.withLua === true
      ? `load_module ${modules}/ndk_http_module.so;\nload_module ${modules}/ngx_http_lua_module.so;`
      : ''
  return `${loaded}
daemon off;
master_process ${workers > 1 ? 'on' : 'off'};
worker_processes ${workers};
pid ${folder}/nginx.pid;
error_log ${folder}/error.log error;
events {
  worker_connections 4096;
}
http {
  ${temporary}
  access_log off;
  server_tokens off;
  tcp_nodelay on;
  keepalive_requests 1000000000;
  keepalive_timeout 3600s;
  client_max_body_size 20m;
  ${options.http?.(port) ?? ''}
  server {
    listen 127.0.0.1:${port} ${options.tls === undefined ? '' : 'ssl '}backlog=1024;
    ${options.tls === undefined ? '' : tlsDirectives(options.tls)}
    ${options.server}
  }
}
`
}

function tlsDirectives({ certFile, keyFile }: NonNullable<NginxOptions['tls']>): string {
  const suites = protocol.ciphers.split(':')
  const [modern, older] = [true, false].map((isModern) =>
    suites.filter((suite) => suite.startsWith('TLS_') === isModern).join(':'),
  )
  return `ssl_certificate ${certFile};
    ssl_certificate_key ${keyFile};
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_ciphers ${older};
    ssl_conf_command Ciphersuites ${modern};
    ssl_prefer_server_ciphers on;
    ssl_session_tickets off;
    ssl_session_cache off;`
}
