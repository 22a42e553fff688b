import { Code, Text } from '@mantine/core'
import { Confirm } from '../../../components/confirm.tsx'
import { Message } from '../../../components/message.tsx'
import type { LeaveQuestion } from '../../../layout/leaving.ts'
import { focusPageHeading } from '../../../layout/page-heading.ts'
import { t } from '../../../words.ts'

export interface LeaveWithoutKeyProps extends LeaveQuestion {
  /** Hint of the key that would be lost. */
  readonly hint: string
}

/** The library gives the focus back 10 ms after a dialog has closed. */
const focusReturnsMs = 50

/** The question before a key is lost that was shown once. */
export function LeaveWithoutKey({ hint, isOpen, leave, stay }: LeaveWithoutKeyProps) {
  return (
    <Confirm
      opened={isOpen}
      onClose={stay}
      onClosed={() => {
        // What asked is gone if it was a menu.
        setTimeout(() => {
          if (document.activeElement === document.body) focusPageHeading()
        }, focusReturnsMs)
      }}
      title={t('issued.leaveTitle')}
      action={t('issued.leave')}
      stay={t('issued.stay')}
      isDangerous
      onConfirm={leave}
    >
      <Text>
        <Message id="issued.leaveMeans" values={{ hint: <Code dir="ltr">{hint}</Code> }} />
      </Text>
    </Confirm>
  )
}
