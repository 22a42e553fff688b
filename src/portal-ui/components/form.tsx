import { Stack } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { focusFirstInvalid } from './field-errors.ts'

export interface FormProps {
  readonly onSubmit: () => void
  /** What the last attempt failed with; the first field it concerns gets the focus. */
  readonly error: unknown
  readonly children: ReactNode
}

/** A form whose fields say themselves what is wrong, instead of the browser's bubbles. */
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
