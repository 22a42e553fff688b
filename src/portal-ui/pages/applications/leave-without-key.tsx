import { Code, Text } from '@mantine/core'
import { useLayoutEffect, useState } from 'react'
import { Confirm } from '../../components/confirm.tsx'
import { Message } from '../../components/message.tsx'
import type { LeaveQuestion } from '../../layout/leaving.ts'
import { focusPageHeading } from '../../layout/page-heading.ts'
import { t } from '../../words.ts'

export interface LeaveWithoutKeyProps extends LeaveQuestion {
  /** Of the key that would be lost. */
  readonly hint: string
}

/** The question before a key is lost that was shown once. */
export function LeaveWithoutKey({ hint, isOpen, leave, stay }: LeaveWithoutKeyProps) {
  // The focus returns only to what had it before the dialog opened, so the dialog must be there first.
  const [isReady, setIsReady] = useState(false)
  useLayoutEffect(() => setIsReady(true), [])
  return (
    <Confirm
      opened={isOpen && isReady}
      onClose={stay}
      onClosed={() => {
        // What asked is gone if it was a menu.
        requestAnimationFrame(() => {
          if (document.activeElement === document.body) focusPageHeading()
        })
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
