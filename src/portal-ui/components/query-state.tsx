import { ProblemAlert } from './problem-alert.tsx'
import { Slow } from './slow.tsx'

export interface QueryStateProps {
  readonly query: {
    readonly isPending: boolean
    readonly error: Error | null
    refetch(): unknown
  }
  /** What the developer waits for: "Loading the keys …". */
  readonly label?: string
}

/** Shows that a query loads, or why it failed, with a button to try again; nothing once it has data. */
export function QueryState({ query, label }: QueryStateProps) {
  return (
    <>
      {query.isPending ? <Slow label={label} /> : null}
      <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />
    </>
  )
}
