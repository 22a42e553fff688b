import { execFileSync } from 'node:child_process'
import { matchesGlob } from 'node:path/posix'
import { ownFiles } from './own-files.ts'
import { ProveError } from './request.ts'
import type { Proof } from './table.ts'

/**
 * Paths, from the root, that differ from a revision, committed or not, with those that git does not know yet.
 *
 * @throws {ProveError} when git knows no such revision
 */
export function changedSince(revision: string, root: string): readonly string[] {
  // Without -z, git quotes names that hold a space, a quote or an umlaut.
  const git = (command: string, ...args: string[]) =>
    execFileSync('git', [command, '-z', ...args], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .split('\0')
      .filter((path) => path !== '')
  let tracked: readonly string[]
  try {
    // With both names of a file that was moved.
    tracked = git('diff', '--name-only', '--no-renames', '--end-of-options', revision, '--')
  } catch {
    throw new ProveError(`git knows no revision "${revision}" (e.g. --changed main).`)
  }
  return [...tracked, ...git('ls-files', '--others', '--exclude-standard')]
}

/** Whether one of the paths runs a proof or lies where it guards. */
export function guardsChanged(proof: Proof, changed: readonly string[]): boolean {
  const own = ownFiles(proof)
  return changed.some((path) => own.has(path) || isGuarded(path, proof.guards))
}

/** Whether a path is one of the guards, is in one, or matches one with a `*`. */
export function isGuarded(path: string, guards: readonly string[]): boolean {
  return guards.some(
    (guard) => path === guard || path.startsWith(`${guard}/`) || matchesGlob(path, guard),
  )
}
