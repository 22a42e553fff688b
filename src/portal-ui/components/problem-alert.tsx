import { Alert, Button, Text } from '@mantine/core'
import { ApiFailure } from '../api/client.ts'
import { durationInWords } from '../in-words.ts'

export interface ProblemAlertProps {
  /** What a query or mutation failed with; nothing shows for null. */
  readonly error: Error | null | undefined
  /** Offers to try again. */
  readonly onRetry?: () => void
}

/** Says at its place why something did not work and what to do; announced at once. */
export function ProblemAlert({ error, onRetry }: ProblemAlertProps) {
  if (error === null || error === undefined) return null
  const { title, detail } = describe(error)
  return (
    <Alert color="red" variant="light" role="alert" title={title}>
      {detail === undefined ? null : <Text size="sm">{detail}</Text>}
      {onRetry === undefined ? null : (
        <Button size="xs" variant="default" mt="sm" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  )
}

function describe(error: Error): { title: string; detail?: string | undefined } {
  if (!(error instanceof ApiFailure)) {
    return { title: 'Something went wrong on this page', detail: 'Reload it and try again.' }
  }
  const { problem, retryAfterSeconds } = error
  if (problem.code === 'STORE_UNAVAILABLE') {
    return {
      title: 'The portal cannot reach its data at the moment',
      detail:
        'Calls through the gateway go on. Look at the state before you repeat what you just did.',
    }
  }
  const wait =
    retryAfterSeconds === undefined
      ? undefined
      : `Try again in ${durationInWords(retryAfterSeconds)}.`
  const detail = [problem.detail, wait].filter((part) => part !== undefined).join(' ')
  return { title: problem.title, detail: detail === '' ? undefined : detail }
}
