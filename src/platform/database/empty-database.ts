import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { ignoreMissing } from '../log/error-code.ts'

/**
 * File beside this one in which a release has an empty database. A checkout has
 * none, and runs initdb, which takes 1.5 s and half a gigabyte. Compressed with
 * Zstandard: a line with the {@link DatabaseFile} list as JSON, then the contents
 * of all files.
 */
export const shippedDatabase = 'empty-database.zst'

/**
 * A path below the folder of the database, and the size of the file; null for a
 * folder, which comes before what it holds.
 */
export type DatabaseFile = readonly [path: string, size: number | null]

/** Fills an empty folder with the database that the release has, or returns false if it has none. */
export async function unpackShippedDatabase(folder: string): Promise<boolean> {
  const file = new URL(shippedDatabase, import.meta.url)
  const packed = await readFile(file).catch(ignoreMissing)
  if (packed !== undefined) await unpackDatabase(packed, folder)
  return packed !== undefined
}

/** @param packed the content of a {@link shippedDatabase} */
export async function unpackDatabase(packed: Uint8Array, folder: string): Promise<void> {
  const content = await promisify(zstdDecompress)(packed)
  let at = content.indexOf('\n') + 1
  // Parse boundary: release/empty-database.ts wrote it.
  const files = JSON.parse(content.toString('utf8', 0, at)) as readonly DatabaseFile[]
  for (const [path, size] of files) {
    if (size === null) mkdirSync(join(folder, path), { mode: 0o700 })
    else {
      writeFileSync(join(folder, path), content.subarray(at, at + size), { mode: 0o600 })
      at += size
    }
  }
}
