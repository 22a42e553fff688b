import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Above this size the best compression takes seconds and gains a few percent. */
const bytesForBestCompression = 1_000_000

/** Writes a `.br` and a `.gz` beside every script, style and picture, so that serving needs no compression. */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    writeBundle: {
      sequential: true,
      order: 'post',
      async handler({ dir }) {
        if (dir === undefined) throw new Error('the page is written into a folder')
        const names = await readdir(dir, { recursive: true })
        for (const name of names) {
          if (/\.(js|css|svg)$/.test(name)) await compress(join(dir, name))
        }
      },
    },
  }
}

async function compress(path: string): Promise<void> {
  const content = await readFile(path)
  const quality = content.length > bytesForBestCompression ? 6 : 11
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  }
  await Promise.all([
    brotli(content, { params }).then((bytes) => writeFile(`${path}.br`, bytes)),
    zip(content, { level: 9 }).then((bytes) => writeFile(`${path}.gz`, bytes)),
  ])
}
