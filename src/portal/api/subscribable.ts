import { type Catalogue, versionKey } from '../../catalogue/catalogue.ts'
import { isRetired } from '../../catalogue/lifecycle.ts'
import { conflict, inputInvalid } from './portal-error.ts'

/** The version and plan that a developer wants to subscribe to. */
export interface WantedPlan {
  readonly api: string
  readonly version: string
  readonly plan: string
}

/**
 * Checks that API, version and plan are published and belong together at a
 * time (milliseconds since 1970). Developers may subscribe to deprecated
 * versions but not to retired ones.
 *
 * @throws {PortalError} INPUT_INVALID naming what is allowed; CONFLICT with the successor of a retired version
 */
export function checkSubscribable(catalogue: Catalogue, wanted: WantedPlan, nowMs: number): void {
  const { api, version, plan } = wanted
  const versions = [...catalogue.versions.values()]
  const published = catalogue.versions.get(versionKey(api, version))
  if (published === undefined) {
    const siblings = versions.filter(
      (other) => other.api === api && !isRetired(other.lifecycle, nowMs),
    )
    if (siblings.length > 0) {
      throw inputInvalid('/version', oneOf(siblings.map((other) => other.version)))
    }
    throw inputInvalid('/api', oneOf([...new Set(versions.map((other) => other.api))]))
  }
  const { lifecycle, plans } = published
  if (isRetired(lifecycle, nowMs)) {
    const { successor } = lifecycle
    throw successor === undefined
      ? conflict('version-retired', `${api} ${version} is retired.`)
      : conflict('version-retired', `${api} ${version} is retired. Subscribe to ${successor}.`, {
          successor,
        })
  }
  if (!plans.includes(plan)) throw inputInvalid('/plan', oneOf(plans))
}

function oneOf(allowed: readonly string[]): string {
  return `one of ${allowed.join(', ')}`
}
