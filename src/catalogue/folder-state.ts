import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Folders below the configuration that a walk follows; a link to a folder above it would lead round and round. */
const depthMax = 8

/**
 * Describes the files of a folder without reading them: another text after each
 * change of a file, even after a link to other files was swapped, as Kubernetes
 * does with a mounted ConfigMap. Ignores names that begin with a dot, as a load
 * does; what cannot be read is part of the description.
 */
export async function folderState(folder: string): Promise<string> {
  const states: string[] = []
  await describe({ folder, depth: 0 }, states)
  return states.join('\n')
}

async function describe(
  { folder, depth }: { readonly folder: string; readonly depth: number },
  states: string[],
): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    states.push(`${folder} ${error}`)
    return []
  })
  for (const name of names.filter((each) => !each.startsWith('.')).sort()) {
    const path = join(folder, name)
    try {
      // Follows links: the file that would be read counts, wherever it is.
      const facts = await stat(path, { bigint: true })
      if (facts.isDirectory()) {
        states.push(`${path} ${await realpath(path)}`)
        if (depth < depthMax) await describe({ folder: path, depth: depth + 1 }, states)
      } else {
        states.push(
          `${path} ${facts.dev}:${facts.ino}:${facts.size}:${facts.mtimeNs}:${facts.ctimeNs}`,
        )
      }
    } catch (error) {
      states.push(`${path} ${error}`)
    }
  }
}
