import { changedSince, guardsChanged } from '../proofs/changed.ts'
import { ProveError } from '../proofs/request.ts'
import { lastRuns } from '../proofs/runs.ts'
import { proofs } from '../proofs/table.ts'

/**
 * Names of the proofs that must run before a release: those that have no run, did
 * not hold in the last one, or guard a file that has changed since. Not the
 * bench, whose goals docs/evidence/performance.md has with those that are missed.
 *
 * @param tags names of all tags
 */
export function dueProofs(repository: string, tags: readonly string[]): readonly string[] {
  const runs = lastRuns(repository)
  const changes = new Map<string, readonly string[] | undefined>()
  const changedAfter = (commit: string): readonly string[] | undefined => {
    if (!changes.has(commit)) changes.set(commit, changedOrUnknown(commit, repository))
    return changes.get(commit)
  }
  return Object.entries(proofs).flatMap(([name, proof]) => {
    if (/^bench\b/.test(name)) return []
    // Nothing is upgraded to the first release.
    if (name === 'upgrade' && !tags.some((tag) => /^v\d/.test(tag))) return []
    const run = runs.get(name)
    if (run?.result !== 'held') return [name]
    const changed = changedAfter(run.commit)
    return changed === undefined || guardsChanged(proof, changed) ? [name] : []
  })
}

/** Undefined if the run had other files than the commit, or none is named. */
function changedOrUnknown(commit: string, repository: string): readonly string[] | undefined {
  try {
    return changedSince(commit, repository)
  } catch (error) {
    if (error instanceof ProveError) return undefined
    throw error
  }
}
