import { Code, Text } from '@mantine/core'
import type { Key } from '../../../gateway/portal/schemas/applications.ts'
import { useKeyRevocation } from '../../api/applications.ts'
import { Confirm } from '../../components/confirm.tsx'

export interface RevokeKeyProps {
  readonly applicationId: string
  readonly apiKey: Key
  readonly opened: boolean
  readonly onClose: () => void
  readonly onRevoked: (keyId: string) => void
}

/** Asks for confirmation before a key is revoked, which is final. */
export function RevokeKey({ applicationId, apiKey, opened, onClose, onRevoked }: RevokeKeyProps) {
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
      title="Revoke this key?"
      action="Revoke key"
      isDangerous
      onConfirm={() => revocation.mutate(apiKey.id)}
      mutation={revocation}
    >
      <Text>
        Calls with <bdi>{apiKey.name}</bdi> (<Code>{apiKey.hint}</Code>) are refused within a
        second, for good. To replace it without a gap, rotate it instead.
      </Text>
    </Confirm>
  )
}
