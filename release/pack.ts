import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Packs a folder of {@link makePackageFolder} into `to` and returns the path of
 * the tarball. npm sorts the files, and gives them the same date and owner;
 * their modes are those of the folder. So equal folders give equal bytes.
 */
export async function packTarball(folder: string, to: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', folder, '--pack-destination', to, '--json', '--offline'],
    { maxBuffer: 100_000_000 },
  )
  // Parse boundary: what npm prints. Older versions give a list, newer ones an object by name.
  const [packed] = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>)
  if (packed === undefined) throw new Error('npm packed nothing')
  return join(to, packed.filename)
}
