import { StatementTimeout } from '../platform/database.ts'

/** Messages of pg about connections, which carry no code. */
const connectionMessages = /^(Connection terminated|timeout exceeded when trying to connect)/

/** Whether an error says that the database cannot be reached now, rather than that a statement is wrong. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof StatementTimeout) return true
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  // Refused, reset or missing sockets; SQLSTATE classes 08 (connection), 40 (given up for another
  // one, again and again), 53 (resources), 57 (operator).
  return (
    /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|08|40|53|57)/.test(code) ||
    connectionMessages.test(error.message)
  )
}
