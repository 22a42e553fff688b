import { type NginxOptions, startNginx } from '../nginx.ts'
import { targetCore } from '../two-cores.ts'
import type { Peer, World } from './peer.ts'

/** Where nginx forwards to, over kept-alive connections, without writing bodies to disk. */
export function upstream(backendUrl: string, buffersRequests = false): string {
  return `upstream backend {
    server ${new URL(backendUrl).host};
    keepalive 256;
    keepalive_requests 1000000000;
  }
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_request_buffering ${buffersRequests ? 'on' : 'off'};
  proxy_max_temp_file_size 0;`
}

export interface NginxPeerOptions extends Pick<NginxOptions, 'tls'> {
  readonly buffersRequests?: boolean
  /** Directives for further ports of the server. (Default: none) */
  readonly listens?: string
}

/** Forwarding and nothing else, by the program that does it best: the floor. */
export async function startNginxPeer(
  { bench, backendUrl }: World,
  options: NginxPeerOptions = {},
): Promise<Peer> {
  const running = await startNginx(bench, {
    name: options.tls === undefined ? 'nginx' : 'nginx-tls',
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    core: targetCore,
    http: () => upstream(backendUrl, options.buffersRequests),
    server: `${options.listens ?? ''} location / { proxy_pass http://backend; }`,
  })
  return { name: 'nginx proxy_pass', ...running }
}
