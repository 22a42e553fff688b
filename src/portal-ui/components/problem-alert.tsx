import { Alert, Button, Text } from '@mantine/core'
import { ApiFailure } from '../api/client.ts'
import { durationInWords } from '../in-words.ts'
import { problemWords } from '../problem-words.ts'
import { t } from '../words.ts'
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
          {t('common.tryAgain')}
        </Button>
      )}
    </Alert>
  )
}

/** Shows an error of the page's own script. */
function Fault({ error }: { readonly error: Error }) {
  return (
    <Alert color="red" role="alert" title={t('problem.pageFault')}>
      <Text size="sm">{t('problem.reload')}</Text>
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
      title: t('problem.store.title'),
      detail: t('problem.store.detail'),
    }
  }
  const wait =
    retryAfterSeconds === undefined
      ? undefined
      : t('problem.retryIn', { duration: durationInWords(retryAfterSeconds) })
  const { title, detail: why } = problemWords(problem)
  // Two sentences of their own.
  const detail = [why, wait].filter((part) => part !== undefined).join(' ')
  return { title, detail: detail === '' ? undefined : detail }
}
