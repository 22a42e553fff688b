import { Modal } from '@mantine/core'
import { Form, type FormProps } from './form.tsx'

export interface FormDialogProps<Values extends Record<string, string>> extends FormProps<Values> {
  readonly opened: boolean
  readonly title: string
  readonly onCancel: () => void
  /** Whether the focus returns to what opened the dialog. (Default: true) */
  readonly returnFocus?: boolean
}

/** A {@link Form} in a dialog. */
export function FormDialog<Values extends Record<string, string>>({
  opened,
  title,
  returnFocus = true,
  ...form
}: FormDialogProps<Values>) {
  return (
    <Modal opened={opened} onClose={form.onCancel} title={title} returnFocus={returnFocus}>
      <Form {...form} isDialog />
    </Modal>
  )
}
