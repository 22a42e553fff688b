import { violates } from '../platform/database/database.ts'
import { type ConflictRule, RegistryConflict } from './registry-errors.ts'

/**
 * Makes the handler of a failed change that names the rule behind a constraint
 * of the database. It rethrows any other error.
 */
export function conflictAt(constraint: string, rule: ConflictRule, message: string) {
  return (error: unknown): never => {
    if (!violates(error, constraint)) throw error
    throw new RegistryConflict(rule, message, { cause: error })
  }
}
