import { type ApiVersion, type Catalogue, versionKey } from '../catalogue/catalogue.ts'
import { isRetired } from '../catalogue/lifecycle.ts'
import { CommandError, UsageError } from './command-error.ts'

/** An API version and a plan that go together. */
export interface Choice {
  readonly api: string
  readonly version: string
  readonly plan: string
}

export interface ChooseOptions {
  readonly catalogue: Catalogue
  /** `xs2a@1.7.0`. */
  readonly text: string
  /** Undefined: `default` where it is offered, else the only one. */
  readonly plan: string | undefined
  readonly now: number
}

/**
 * Finds the API version a command names and a plan it is offered under.
 *
 * @throws {UsageError} not of the form `<api>@<version>`
 * @throws {CommandError} not published, retired, or not offered under that plan
 */
export function choose({ catalogue, text, plan, now }: ChooseOptions): Choice {
  const published = publishedVersion(catalogue, text)
  const { api, version } = published
  if (isRetired(published.lifecycle, now)) {
    const { successor } = published.lifecycle
    const instead =
      successor === undefined ? '' : `; its successor is ${versionKey(api, successor)}`
    throw new CommandError(`${text} is retired${instead}`)
  }
  return { api, version, plan: choosePlan(published.plans, text, plan) }
}

/**
 * Finds the API version a command names.
 *
 * @param text `xs2a@1.7.0`
 * @throws {UsageError} not of that form
 * @throws {CommandError} not published
 */
export function publishedVersion(catalogue: Catalogue, text: string): ApiVersion {
  const [api, version, ...rest] = text.split('@')
  if (api === undefined || version === undefined || rest.length > 0) {
    throw new UsageError(`--api "${text}" is not of the form <api>@<version> (e.g. xs2a@1.7.0)`)
  }
  const published = catalogue.versions.get(versionKey(api, version))
  if (published !== undefined) return published
  const all = [...catalogue.versions.keys()].join(', ')
  throw new CommandError(`${text} is not published; choose one of: ${all}`)
}

/** @throws {CommandError} naming the plans that are offered */
export function choosePlan(
  offered: readonly string[],
  text: string,
  plan: string | undefined,
): string {
  const [only] = offered
  const chosen =
    plan ?? (offered.includes('default') ? 'default' : offered.length === 1 ? only : undefined)
  if (chosen !== undefined && offered.includes(chosen)) return chosen
  const all = offered.join(', ') || '(none)'
  throw new CommandError(
    chosen === undefined
      ? `${text} is in several plans; choose one with --plan: ${all}`
      : `${text} is not in the plan "${chosen}"; choose one of: ${all}`,
  )
}
