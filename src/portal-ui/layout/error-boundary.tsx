import { Alert, Button, Stack } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { FaultReport } from '../components/fault-report.tsx'
import { forgetFailures, PageLoadFailure } from '../lazy-page.tsx'
import { t } from '../words.ts'
import { Frame } from './frame.tsx'

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

  /** A script that did not load because the connection was lost is requested again once the browser is online. */
  readonly #retry = (): void => {
    if (!(this.state.error instanceof PageLoadFailure)) return
    forgetFailures()
    this.setState({ error: undefined })
  }

  override componentDidMount(): void {
    window.addEventListener('online', this.#retry)
  }

  override componentWillUnmount(): void {
    window.removeEventListener('online', this.#retry)
  }

  override componentDidUpdate(previous: ErrorBoundaryProps): void {
    if (this.state.error !== undefined && previous.resetKey !== this.props.resetKey) {
      forgetFailures()
      this.setState({ error: undefined })
    }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    const isUnloaded = error instanceof PageLoadFailure
    return (
      <Frame>
        <Alert color="red" role="alert" title={t(isUnloaded ? 'fault.notLoaded' : 'fault.title')}>
          <Stack gap="sm" align="flex-start">
            {t(isUnloaded ? 'fault.checkConnection' : 'fault.isInPage')}
            <Button size="xs" variant="default" onClick={() => window.location.reload()}>
              {t('fault.reload')}
            </Button>
            {isUnloaded ? null : <FaultReport error={error} />}
          </Stack>
        </Alert>
      </Frame>
    )
  }
}
