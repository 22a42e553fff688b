import { chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Sets the mode of every file below a folder to 644, or 755 if its owner may
 * run it, and that of every folder to 755. Otherwise the umask of the machine
 * would decide the bytes of a release, and 077 would leave files that the user
 * of an image cannot read.
 */
export async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    await chmod(path, (await stat(path)).mode & 0o100 ? 0o755 : 0o644)
  }
}
