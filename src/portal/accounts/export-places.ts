import { PortalError } from '../api/portal-error.ts'

/** How many exports a process writes at once: each reads and writes all that a developer has. */
const atOnceMax = 2

/** An export takes this long at most, so that a client that stops reading does not keep a place. */
export const exportMs = 300_000

const retryAfterSeconds = '10'

/** The places of exports under way in this process. */
export interface ExportPlaces {
  /**
   * Takes a place until it is given back by what this returns.
   *
   * @throws {PortalError} ATTEMPTS_EXCEEDED: the developer has one, or all are taken
   */
  take(developerId: string): () => void
}

export function createExportPlaces(): ExportPlaces {
  const underWay = new Set<string>()
  return {
    take(developerId) {
      if (underWay.has(developerId)) {
        throw tooMany('Another download of your data is still under way. Let it end first.')
      }
      if (underWay.size >= atOnceMax) {
        throw tooMany('Other people are downloading their data. Try again in ten seconds.')
      }
      underWay.add(developerId)
      return () => underWay.delete(developerId)
    },
  }
}

function tooMany(detail: string): PortalError {
  return new PortalError({
    code: 'ATTEMPTS_EXCEEDED',
    detail,
    headers: { 'retry-after': retryAfterSeconds },
  })
}
