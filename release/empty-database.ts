import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { packDatabase } from '../src/platform/database/empty-database.ts'

const create = fileURLToPath(import.meta.resolve('../src/platform/database/create-database.ts'))
const fixedChance = import.meta.resolve('./fixed-chance.ts')

/** Writes the empty database that a release brings along. It is the same each time, so that the release is. */
export async function writeEmptyDatabase(file: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-empty-'))
  try {
    await promisify(execFile)(process.execPath, ['--import', fixedChance, create, folder])
    await writeFile(file, await packDatabase(folder))
  } finally {
    await rm(folder, { recursive: true })
  }
}
