import { type ApiVersion, type Catalogue, versionKey } from '../../catalogue/catalogue.ts'
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
  const isOpen = (other: ApiVersion) => !isRetired(other.lifecycle, nowMs)
  const { lifecycle, plans } = namedVersion(catalogue, { api, version }, isOpen)
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

/**
 * The version that an input names.
 *
 * @param isOffered whether the refusal of a version that is not published names this one instead
 * @throws {PortalError} INPUT_INVALID
 */
export function namedVersion(
  { versions }: Catalogue,
  { api, version }: Omit<WantedPlan, 'plan'>,
  isOffered: (other: ApiVersion) => boolean = () => true,
): ApiVersion {
  const published = versions.get(versionKey(api, version))
  if (published !== undefined) return published
  const all = [...versions.values()]
  const siblings = all.filter((other) => other.api === api && isOffered(other))
  throw siblings.length > 0
    ? inputInvalid('/version', oneOf(siblings.map((other) => other.version)))
    : inputInvalid('/api', oneOf([...new Set(all.map((other) => other.api))]))
}

function oneOf(allowed: readonly string[]): string {
  return `one of ${allowed.join(', ')}`
}
