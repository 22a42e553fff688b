import { execFileSync } from 'node:child_process'
import { ProveError } from './request.ts'
import type { Proof } from './table.ts'

/**
 * Paths, from the root, that differ from a revision, committed or not, with those that git does not know yet.
 *
 * @throws {ProveError} when git knows no such revision
 */
export function changedSince(revision: string, root: string): readonly string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter((line) => line !== '')
  let tracked: readonly string[]
  try {
    // With both names of a file that was moved.
    tracked = git('diff', '--name-only', '--no-renames', '--end-of-options', revision, '--')
  } catch {
    throw new ProveError(`git knows no revision "${revision}" (e.g. --changed main).`)
  }
  return [...tracked, ...git('ls-files', '--others', '--exclude-standard')]
}

/** Whether one of the paths belongs to a proof or lies where it guards. */
export function guardsChanged(proof: Proof, changed: readonly string[]): boolean {
  const guarded = [...proof.guards, proof.own]
  return changed.some((path) =>
    guarded.some((guard) => path === guard || path.startsWith(`${guard}/`)),
  )
}
