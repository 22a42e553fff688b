import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startNginx } from './nginx.ts'
import { downloadTemplate, prefix } from './operations.ts'
import { otherCore, type Workbench } from './workbench.ts'

/** Bytes of a download. */
export const downloadBytes = 10_000_000

/**
 * Starts the backend all subjects forward to, an nginx on the other core: 1 KB
 * of JSON from memory for every target, with the fields a bank's backend sets;
 * 10 MB for a download.
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
    server: `default_type application/json;
    sendfile on;
    add_header X-Request-ID $http_x_request_id;
    location / { return 200 '${body}'; }
    location ${downloads} { root ${files}; rewrite ^ /download break; }`,
  })
  return url
}
