import { Text, TextInput } from '@mantine/core'
import { t } from '../words.ts'
import { FormDialog, type FormDialogProps } from './form-dialog.tsx'
import { Message } from './message.tsx'

export interface ConfirmByTypingProps<Values extends { typed: string }>
  extends Omit<FormDialogProps<Values>, 'isDisabled' | 'isDangerous' | 'cancelLabel'> {
  /** The text to type, exactly as shown. */
  readonly name: string
}

/** Enables the button only after the developer has typed the name of what it deletes. */
export function ConfirmByTyping<Values extends { typed: string } & Record<string, string>>({
  name,
  children,
  ...dialog
}: ConfirmByTypingProps<Values>) {
  const { form } = dialog
  return (
    <FormDialog
      {...dialog}
      isDangerous
      isDisabled={asRead(form.getValues().typed) !== asRead(name)}
      cancelLabel={t('common.keepIt')}
    >
      {children}
      <TextInput
        label={<Message id="common.typeToConfirm" values={{ name: <bdi>{name}</bdi> }} />}
        {...form.getInputProps('typed')}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <Text size="sm" c="dimmed">
        {t('common.cannotUndo')}
      </Text>
    </FormDialog>
  )
}

/** Browsers show repeated spaces as one and composed letters like their parts, so people cannot type the difference. */
function asRead(text: string): string {
  return text.normalize('NFC').trim().replaceAll(/\s+/g, ' ')
}
