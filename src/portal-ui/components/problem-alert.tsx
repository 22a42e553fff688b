import { Alert, Button, Text } from '@mantine/core'
import { ApiFailure } from '../api/client.ts'
import { durationInWords } from '../in-words.ts'
import { FaultReport } from './fault-report.tsx'

export interface ProblemAlertProps {
  /** The error of a query or mutation; null shows nothing. */
  readonly error: Error | null | undefined
  /** Adds a button to try again. */
  readonly onRetry?: () => void
}

/** Shows why an action failed and what to do; screen readers announce it at once. */
export function ProblemAlert({ error, onRetry }: ProblemAlertProps) {
  if (error === null || error === undefined) return null
  if (!(error instanceof ApiFailure)) return <Fault error={error} />
  const { title, detail } = describe(error)
  return (
    <Alert color="red" role="alert" title={title}>
      {detail === undefined ? null : <Text size="sm">{detail}</Text>}
      {onRetry === undefined ? null : (
        <Button size="xs" variant="default" mt="sm" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  )
}

/** Shows an error of the page's own script. */
function Fault({ error }: { readonly error: Error }) {
  return (
    <Alert color="red" role="alert" title="This page has a fault">
      <Text size="sm">Reload the page and try again.</Text>
      <FaultReport error={error} />
    </Alert>
  )
}

function describe({ problem, retryAfterSeconds }: ApiFailure): {
  title: string
  detail?: string | undefined
} {
  if (problem.code === 'STORE_UNAVAILABLE') {
    return {
      title: 'The portal cannot reach its data at the moment',
      detail:
        'Calls through the gateway still work. If you were changing something, check whether it was saved before you try again.',
    }
  }
  const wait =
    retryAfterSeconds === undefined
      ? undefined
      : `Try again in ${durationInWords(retryAfterSeconds)}.`
  const detail = [problem.detail, wait].filter((part) => part !== undefined).join(' ')
  return { title: problem.title, detail: detail === '' ? undefined : detail }
}
