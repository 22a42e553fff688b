import { Alert, Button, Stack } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { FaultReport } from '../components/fault-report.tsx'
import { PageLoadFailure } from '../lazy-page.tsx'

interface ErrorBoundaryProps {
  /** The path: a new value tries to show the page again. */
  readonly resetKey: string
  readonly children: ReactNode
}

interface ErrorBoundaryState {
  readonly error: unknown
}

/** Keeps the shell in place when a page fails or its script cannot be loaded. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: undefined }

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { error: error ?? new Error('unknown error') }
  }

  override componentDidUpdate(previous: ErrorBoundaryProps): void {
    if (this.state.error !== undefined && previous.resetKey !== this.props.resetKey) {
      this.setState({ error: undefined })
    }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    const isUnloaded = error instanceof PageLoadFailure
    return (
      <Alert
        color="red"
        role="alert"
        title={isUnloaded ? 'This page could not be loaded' : 'This page has a fault'}
      >
        <Stack gap="sm" align="flex-start">
          {isUnloaded
            ? 'Check your connection. The portal may also have a newer version of the page.'
            : 'The fault is in the page, not in your connection. What you saved is kept.'}
          <Button size="xs" variant="default" onClick={() => window.location.reload()}>
            Reload the page
          </Button>
          {isUnloaded ? null : <FaultReport error={error} />}
        </Stack>
      </Alert>
    )
  }
}
