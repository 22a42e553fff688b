import { Stack, Text } from '@mantine/core'
import { useAddressesOfKey } from '../../../api/applications.ts'
import { Confirm } from '../../../components/confirm.tsx'
import { CopyLine } from '../../../components/copy-line.tsx'
import { Message } from '../../../components/message.tsx'
import { t } from '../../../words.ts'
import type { KeyDialogProps } from './key-dialog-props.ts'

/** The dialog that allows a key to replace itself, or stops allowing it. */
export function SelfReplacing({ applicationId, apiKey, opened, onClose }: KeyDialogProps) {
  const { id, name, mayReplaceItself } = apiKey
  const change = useAddressesOfKey(applicationId, onClose)
  const command = `curl -X POST -H "X-API-Key: $API_KEY" ${location.origin}/api/keys/self/rotate`
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t('keys.selfReplacing')}
      action={t(mayReplaceItself ? 'keys.selfReplacingStop' : 'keys.selfReplacingAllow')}
      mutation={change}
      onConfirm={() => change.mutate({ keyId: id, mayReplaceItself: !mayReplaceItself })}
    >
      <Stack gap="sm">
        <Text>
          <Message
            id={mayReplaceItself ? 'keys.selfReplacingIs' : 'keys.selfReplacingMeans'}
            values={{ name: <bdi>{name}</bdi> }}
          />
        </Text>
        <CopyLine text={command} label={t('keys.selfReplacingCommand')} />
      </Stack>
    </Confirm>
  )
}
