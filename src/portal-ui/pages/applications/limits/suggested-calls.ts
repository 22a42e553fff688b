/** The most that a limit can allow. */
const callsMax = 1_000_000_000

/** @returns for a field of calls, five times what a limit allows; empty if it allows nothing */
export function suggestedCalls(calls = 0): string {
  return calls === 0 ? '' : String(Math.min(5 * calls, callsMax))
}
