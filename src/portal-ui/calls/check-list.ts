import type { CallFilter } from './call-filter.ts'
import type { ListedOperation } from './call-shape.ts'
import { accountsOperation } from './read-accounts.ts'

/** What a developer does in the first hour, in the order of the list. */
export const steps = ['call', 'consent', 'payment', 'limit', 'usage'] as const
export type Step = (typeof steps)[number]

/** The operations of a version that the steps lead to; undefined if it has none. */
export interface StepOperations {
  readonly accounts: ListedOperation | undefined
  readonly consent: ListedOperation | undefined
  readonly payment: ListedOperation | undefined
  /** A GET without an id in its path that no other step needs: its limit may be used up. */
  readonly spare: ListedOperation | undefined
}

/** Finds the operations of the steps. */
export function stepOperations(operations: readonly ListedOperation[]): StepOperations {
  const accounts = accountsOperation(operations)
  const posted = (path: RegExp) =>
    operations.find((each) => each.method === 'POST' && path.test(each.path))
  return {
    accounts,
    consent: posted(/^\/[^/]+\/consents$/),
    payment: posted(/\/\{payment-product\}$/),
    spare: operations.find(
      (each) => each.method === 'GET' && !each.path.includes('{') && each !== accounts,
    ),
  }
}

/** The calls that show that a step was taken; undefined for a version without the operation. */
export function callsOfSteps({ payment }: StepOperations) {
  return {
    call: { status: '2xx' },
    payment: payment && { operation: payment.id, status: '201' },
    limit: { outcome: 'QUOTA_EXCEEDED' },
  } as const satisfies Partial<Record<Step, CallFilter | undefined>>
}

/** Commands for a shell that make one call after the other, one more than a limit allows. */
export function limitCommands(url: string, calls: number): string {
  return [
    "API_KEY='paste your key here'",
    `for i in $(seq ${calls + 1}); do`,
    `  curl -s -o /dev/null -w '%{http_code}\\n' -H "X-API-Key: $API_KEY" \\`,
    `    '${url}'`,
    'done | uniq -c',
  ].join('\n')
}
