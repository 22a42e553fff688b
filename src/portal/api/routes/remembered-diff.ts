import type { ApiVersion } from '../../../catalogue/catalogue.ts'
import { diffVersions } from '../../../catalogue/diff.ts'
import type { VersionDiff } from '../schemas/catalogue.ts'

/**
 * Computes the difference between two versions once: any visitor may ask for
 * it, and it takes tens of milliseconds. A reload creates new version objects
 * and so drops the results of the old ones.
 */
export function createRememberedDiff(): (from: ApiVersion, to: ApiVersion) => VersionDiff {
  const known = new WeakMap<ApiVersion, WeakMap<ApiVersion, VersionDiff>>()
  return (from, to) => {
    const ofFrom = known.get(from) ?? new WeakMap<ApiVersion, VersionDiff>()
    known.set(from, ofFrom)
    const diff = ofFrom.get(to) ?? compare(from, to)
    ofFrom.set(to, diff)
    return diff
  }
}

function compare(from: ApiVersion, to: ApiVersion): VersionDiff {
  const diff = diffVersions(from, to)
  return {
    ...diff,
    added: [...diff.added],
    removed: [...diff.removed],
    changed: diff.changed.map((operation) => ({ ...operation, changes: [...operation.changes] })),
  }
}
