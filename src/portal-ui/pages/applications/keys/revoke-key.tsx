import { Code, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useKeyRevocation, useKeys } from '../../../api/applications.ts'
import { Confirm } from '../../../components/confirm.tsx'
import { Message } from '../../../components/message.tsx'
import { t } from '../../../words.ts'
import { isWorking } from './is-working.ts'
import type { KeyDialogProps } from './key-dialog-props.ts'

export interface RevokeKeyProps extends KeyDialogProps {
  readonly onRevoked: (keyId: string) => void
}

/** Asks for confirmation before a key is revoked, which is final. */
export function RevokeKey({ applicationId, apiKey, opened, onClose, onRevoked }: RevokeKeyProps) {
  const { data, refetch } = useKeys(applicationId)
  useEffect(() => {
    // The key may have replaced itself since the list was read.
    if (opened) void refetch()
  }, [opened, refetch])
  const successor = data?.items.find(({ id }) => id === apiKey.replacedBy)
  const hasLivingSuccessor = successor !== undefined && isWorking(successor)
  const revocation = useKeyRevocation(applicationId, () => {
    onClose()
    onRevoked(apiKey.id)
  })
  const close = () => {
    revocation.reset()
    onClose()
  }
  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={t('revoke.title')}
      action={t('revoke.confirm')}
      isDangerous
      onConfirm={() => revocation.mutate(apiKey.id)}
      mutation={revocation}
    >
      <Text>
        <Message
          id="revoke.means"
          values={{ name: <bdi>{apiKey.name}</bdi>, hint: <Code dir="ltr">{apiKey.hint}</Code> }}
        />
      </Text>
      {hasLivingSuccessor ? <Text>{t('revoke.successor')}</Text> : null}
    </Confirm>
  )
}
