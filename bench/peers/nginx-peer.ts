import { startNginx } from '../nginx.ts'
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

/** Forwarding and nothing else, by the program that does it best: the floor. */
export async function startNginxPeer(
  { bench, backendUrl }: World,
  options: { readonly buffersRequests?: boolean } = {},
): Promise<Peer> {
  const running = await startNginx(bench, {
    name: 'nginx',
    core: targetCore,
    http: () => upstream(backendUrl, options.buffersRequests),
    server: 'location / { proxy_pass http://backend; }',
  })
  return { name: 'nginx proxy_pass', ...running }
}
