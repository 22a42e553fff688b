import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import type { Proof } from './table.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Paths below proofs/ and test/ of the files that run a proof: those of its
 * commands, whole and share, and every file that these name, directly or through
 * another. A deleted file still counts while its name is there.
 */
export function ownFiles({ command }: Pick<Proof, 'command'>): ReadonlySet<string> {
  const files = new Set(
    [true, false]
      .flatMap((isWhole) => command({ seed: '1', isWhole }))
      .filter((word) => word.startsWith('proofs/')),
  )
  // The loop also visits what it adds.
  for (const file of files) for (const other of namedIn(file)) files.add(other)
  return files
}

/** By the file that names them: most are reached from many proofs. */
const named = new Map<string, readonly string[]>()

/**
 * Every quoted name counts, from the root or from the folder of the file: programs, threads and scripts are started by name,
 * not imported.
 */
function namedIn(file: string): readonly string[] {
  const found = named.get(file) ?? readNames(file)
  named.set(file, found)
  return found
}

function readNames(file: string): readonly string[] {
  const path = join(root, file)
  if (!existsSync(path)) return []
  const names = readFileSync(path, 'utf8').matchAll(/'([\w./-]+\.(?:ts|lua))'/g)
  return Array.from(names, ([, name = '']) => [name, join(dirname(file), name)])
    .flat()
    .filter((name) => /^(?:proofs|test)\//.test(name))
}
