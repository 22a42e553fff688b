import { CompleteError } from '../log/complete-error.ts'
import type { MigrationRun, SchemaName } from './schema-history.ts'
import type { SchemaMigrations } from './schema-migration.ts'

/** A migration after which older releases do not work. */
export type ContractingRun = MigrationRun & { readonly oldestRelease: string }

/** How the tables of one owner compare with what this release knows. */
export interface SchemaState {
  /** Whether no migration has run. */
  readonly isNew: boolean
  /** Migrations of this release that have not run, in their order. */
  readonly pending: readonly string[]
  /** Migrations that a newer release ran. */
  readonly newer: readonly MigrationRun[]
  /** The migrations in `newer` after which this release does not work. */
  readonly unfit: readonly ContractingRun[]
}

/** The tables and this release are incompatible. The message says why and what to do. */
export class SchemaError extends CompleteError {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'SchemaError'
  }
}

/** Compares what has run with what `release` has. */
export function schemaState(
  history: readonly MigrationRun[],
  migrations: SchemaMigrations,
  release: string,
): SchemaState {
  const ran = new Set(history.map(({ name }) => name))
  const newer = history.filter(({ name }) => !(name in migrations))
  return {
    isNew: history.length === 0,
    pending: Object.keys(migrations)
      .filter((name) => !ran.has(name))
      .toSorted(),
    newer,
    unfit: newer
      .filter((run): run is ContractingRun => run.oldestRelease !== undefined)
      .filter(({ oldestRelease }) => isOlder(release, oldestRelease)),
  }
}

/** @throws {SchemaError} a newer release changed the tables so that `release` does not work on them */
export function refuseUnfit(schema: SchemaName, { unfit }: SchemaState, release: string): void {
  const [run] = unfit.toSorted((a, b) => (isOlder(a.oldestRelease, b.oldestRelease) ? 1 : -1))
  if (run === undefined) return
  throw new SchemaError(
    `release ${run.release} changed the ${schema}'s tables (${run.name}), and this release, ${release}, does not work on them: start release ${run.oldestRelease} or newer, or restore the backup from before the upgrade (docs/upgrade.md)`,
  )
}

/** Whether release `a` came before release `b`, as Semantic Versioning orders them: `0.9.2`, `0.10.0-rc.1`, `0.10.0`. */
export function isOlder(a: string, b: string): boolean {
  const [one, other] = [partsOf(a), partsOf(b)]
  const order = compareParts(one.numbers, other.numbers)
  if (order !== 0) return order < 0
  // A release comes after everything that was tried before it.
  const isTried = one.tried.length > 0
  if (!isTried || other.tried.length === 0) return isTried
  return compareParts(one.tried, other.tried) < 0
}

function partsOf(release: string) {
  const [version = ''] = release.split('+')
  const [numbers = '', ...tried] = version.split('-')
  const name = tried.join('-')
  return { numbers: numbers.split('.'), tried: name === '' ? [] : name.split('.') }
}

/** Numbers by value and before words; where all are equal, the shorter list comes first. */
function compareParts(one: readonly string[], other: readonly string[]): number {
  for (const [index, part] of one.entries()) {
    const counterpart = other[index]
    if (counterpart === undefined) return 1
    const order = comparePart(part, counterpart)
    if (order !== 0) return order
  }
  return one.length - other.length
}

function comparePart(one: string, other: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)]
  if (isNumber && isOtherNumber) return Number(one) - Number(other)
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
  return one === other ? 0 : one < other ? -1 : 1
}
