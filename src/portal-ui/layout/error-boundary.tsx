import { Alert, Button, Stack } from '@mantine/core'
import { Component, type ReactNode } from 'react'

interface ErrorBoundaryProps {
  /** Another value gives the page another chance: the path. */
  readonly resetKey: string
  readonly children: ReactNode
}

interface ErrorBoundaryState {
  readonly failedAt: string | undefined
}

/** Keeps the shell standing when a page fails, or when its script cannot be loaded. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { failedAt: undefined }

  static getDerivedStateFromError(): Partial<ErrorBoundaryState> {
    return { failedAt: '' }
  }

  override componentDidCatch(): void {
    this.setState({ failedAt: this.props.resetKey })
  }

  override componentDidUpdate(previous: ErrorBoundaryProps): void {
    const { failedAt } = this.state
    if (failedAt !== undefined && previous.resetKey !== this.props.resetKey) {
      this.setState({ failedAt: undefined })
    }
  }

  override render(): ReactNode {
    if (this.state.failedAt === undefined) return this.props.children
    return (
      <Alert color="red" role="alert" title="This page does not work at the moment">
        <Stack gap="sm" align="flex-start">
          It may have been replaced by a newer one, or your connection was lost.
          <Button size="xs" variant="default" onClick={() => window.location.reload()}>
            Reload the page
          </Button>
        </Stack>
      </Alert>
    )
  }
}
