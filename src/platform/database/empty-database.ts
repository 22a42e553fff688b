import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { ignoreMissing } from '../log/error-code.ts'

/**
 * File beside this one in which a release has an empty database. A checkout has
 * none, and runs initdb, which takes 1.5 s and half a gigabyte.
 */
export const shippedDatabase = 'empty-database.zst'

/** Contents of the files of a database by their paths; undefined for a folder, which comes before what it holds. */
type DatabaseFiles = ReadonlyMap<string, Uint8Array | undefined>

/** Packs a closed database; the same files give the same bytes. */
export async function packDatabase(folder: string): Promise<Uint8Array> {
  const files: DatabaseFiles = new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(folder.length + 1), entry.isFile() ? readFileSync(path) : undefined]
    }),
  )
  return promisify(zstdCompress)(serialize(files), {
    params: { [constants.ZSTD_c_compressionLevel]: 19 },
  })
}

/** Fills an empty folder with the database that the release has, or returns false if it has none. */
export async function unpackShippedDatabase(folder: string): Promise<boolean> {
  const file = new URL(shippedDatabase, import.meta.url)
  const packed = await readFile(file).catch(ignoreMissing)
  if (packed !== undefined) await unpackDatabase(packed, folder)
  return packed !== undefined
}

/** @param packed from {@link packDatabase} */
export async function unpackDatabase(packed: Uint8Array, folder: string): Promise<void> {
  // Parse boundary: packed by us.
  const files = deserialize(await promisify(zstdDecompress)(packed)) as DatabaseFiles
  for (const [path, content] of files) {
    if (content === undefined) mkdirSync(join(folder, path), { mode: 0o700 })
    else writeFileSync(join(folder, path), content, { mode: 0o600 })
  }
}
