// This folder has what stands inside pages: forms, tables, code, times, states and notices that several pages share. A
// component gets what it shows as properties. Only `proof-dialog.tsx` sends requests. Nothing here knows a page or
// `layout/`, which surrounds the content of a page. What only one area uses is in its folder of `pages/`.

import { Button, Group, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { UseMutationResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { t } from '../words.ts'
import { fieldErrors, focusFirstInvalid } from './field-errors.ts'
import { ProblemAlert } from './problem-alert.tsx'

export interface FormProps<Values extends Record<string, string>> {
  readonly form: UseFormReturnType<Values>
  /** What a submit starts; its errors appear at the fields or above the buttons. */
  readonly mutation: Pick<
    UseMutationResult<unknown, Error, never>,
    'error' | 'isPending' | 'isIdle' | 'reset'
  >
  /** Called with values that passed the checks of `form`, unless the mutation is still pending. */
  readonly onSubmit: (values: Values) => void
  /** Sentences by field (default: {@link fieldErrors} of the fields' own names). */
  readonly errorsOf?: (error: Error) => Readonly<Record<string, string | undefined>>
  /** Label of the button that submits: "Change name". */
  readonly action: string
  /** Whether it deletes something; the button is red then. */
  readonly isDangerous?: boolean
  /** Whether the values cannot be submitted yet. */
  readonly isDisabled?: boolean
  /** Adds a button that leaves the form. */
  readonly onCancel?: (() => void) | undefined
  /** Label of that button. (Default: Cancel) */
  readonly cancelLabel?: string
  /** Shown beside the buttons. */
  readonly beside?: ReactNode
  /** Whether the buttons are at the end of the line, where those of dialogs are. */
  readonly isDialog?: boolean
  readonly label?: string
  readonly children: ReactNode
}

/**
 * A form whose fields show their own errors instead of the browser's bubbles.
 * An error that no field shows appears above the buttons. A change clears what
 * the last attempt left.
 */
export function Form<Values extends Record<string, string>>(props: FormProps<Values>) {
  const { form, mutation, action, isDisabled = false, isDangerous = false, children } = props
  const { label, onCancel, cancelLabel = t('common.cancel'), beside, isDialog = false } = props
  const { errorsOf = (error) => fieldErrors(error, Object.keys(form.getValues())) } = props
  const ref = useRef<HTMLFormElement>(null)
  const { error } = mutation
  const found = error === null ? {} : errorsOf(error)
  const isAtField = Object.values(found).some((sentence) => sentence !== undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the fields show an error once, until they are changed
  useEffect(() => {
    if (error === null) return
    form.setErrors(found)
    focusFirstInvalid(ref.current)
  }, [error])
  const cancel = onCancel && (
    <Button variant="default" onClick={onCancel}>
      {cancelLabel}
    </Button>
  )
  return (
    <form
      ref={ref}
      noValidate
      aria-label={label}
      onChange={() => {
        if (!mutation.isPending && !mutation.isIdle) mutation.reset()
      }}
      onSubmit={form.onSubmit(
        (values) => {
          if (!mutation.isPending) props.onSubmit(values)
        },
        () => focusFirstInvalid(ref.current),
      )}
    >
      <Stack gap="md">
        {children}
        <ProblemAlert error={isAtField ? null : error} />
        <Group gap="sm" {...(isDialog ? { justify: 'flex-end' } : {})}>
          {isDialog ? cancel : null}
          <Button
            type="submit"
            {...(isDangerous ? { color: 'red' } : {})}
            loading={mutation.isPending}
            disabled={isDisabled}
          >
            {action}
          </Button>
          {isDialog ? null : cancel}
          {beside}
        </Group>
      </Stack>
    </form>
  )
}

/** The check of a field that must not stay empty. */
export function filled(sentence?: string): (value: string) => string | null {
  return (value) => (value === '' ? (sentence ?? t('common.fillIn')) : null)
}
