import { Stack } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { focusFirstInvalid } from './field-errors.ts'

export interface FormProps {
  readonly onSubmit: () => void
  /** The error of the last attempt; the first field that it concerns gets the focus. */
  readonly error: unknown
  readonly children: ReactNode
}

/** A form whose fields show their own errors instead of the browser's bubbles. */
export function Form({ onSubmit, error, children }: FormProps) {
  const ref = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error !== null && error !== undefined) focusFirstInvalid(ref.current)
  }, [error])
  return (
    <form
      ref={ref}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <Stack gap="md">{children}</Stack>
    </form>
  )
}
