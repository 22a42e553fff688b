import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeOthers } from './before-others.ts'
import { startNginx } from './nginx.ts'
import { downloadTemplate, prefix, uploadTemplate } from './operations.ts'
import { otherCore } from './two-cores.ts'
import type { Workbench } from './workbench.ts'

/** Bytes of a download. */
export const downloadBytes = 10_000_000

/**
 * Starts the backend all subjects forward to, an nginx on the other core: 1 KB
 * of JSON from memory for every target, with the fields a bank's backend sets;
 * 10 MB for a download. The body of an upload is read to its end before it is
 * answered, which nginx does where it forwards: to itself, without the body.
 */
export async function startBackend(bench: Workbench): Promise<string> {
  const files = join(bench.folder, 'files')
  mkdirSync(files)
  writeFileSync(join(files, 'download'), randomBytes(downloadBytes))
  const body = JSON.stringify({ entries: 'x'.repeat(1024 - 14) })
  const downloads = `${prefix}${downloadTemplate.replace('{id}', '')}`
  const { url } = await startNginx(bench, {
    name: 'backend',
    core: otherCore,
    before: beforeOthers('service'),
    http: (port) =>
      `upstream itself { server 127.0.0.1:${port}; keepalive 64; keepalive_requests 1000000000; }`,
    server: `default_type application/json;
    sendfile on;
    add_header X-Request-ID $http_x_request_id;
    location = ${prefix}${uploadTemplate} {
      client_body_buffer_size 256k;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Content-Length "";
      proxy_pass_request_body off;
      proxy_method GET;
      proxy_pass http://itself/uploaded;
    }
    location / { return 200 '${body}'; }
    location ${downloads} { root ${files}; rewrite ^ /download break; }`,
  })
  return url
}
