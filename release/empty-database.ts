import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import type { DatabaseFile } from '../src/platform/database/empty-database.ts'

const create = fileURLToPath(import.meta.resolve('../src/platform/database/create-database.ts'))
const fixed = import.meta.resolve('./fixed-clock-and-randomness.ts')

/**
 * Writes the empty database that a release brings along. It is the same each
 * time, so that the release is.
 *
 * So all embedded databases have the same system identifier, by which servers
 * tell whose write-ahead log they get, and the same nonce for passwords of
 * unknown roles. PGlite has neither replication nor passwords: its socket is
 * open to one user of the machine.
 */
export async function writeEmptyDatabase(file: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-empty-'))
  try {
    // Without the environment, whose time zone and language could decide bytes.
    await promisify(execFile)(process.execPath, ['--import', fixed, create, folder], { env: {} })
    await writeFile(file, await packDatabase(folder))
  } finally {
    await rm(folder, { recursive: true })
  }
}

function packDatabase(folder: string): Promise<Buffer> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return {
        path: relative(folder, path),
        content: entry.isFile() ? readFileSync(path) : undefined,
      }
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const files: DatabaseFile[] = found.map(({ path, content }) => [path, content?.length ?? null])
  const contents = found.flatMap(({ content }) => content ?? [])
  return promisify(zstdCompress)(
    Buffer.concat([Buffer.from(`${JSON.stringify(files)}\n`), ...contents]),
    { params: { [constants.ZSTD_c_compressionLevel]: 19 } },
  )
}
