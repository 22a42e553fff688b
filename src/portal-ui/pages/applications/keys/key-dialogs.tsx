import type { IssuedKey, Key } from '../../../../portal/api/schemas/applications.ts'
import { AllowedAddresses } from './allowed-addresses.tsx'
import { RevokeKey } from './revoke-key.tsx'
import { RotateKey } from './rotate-key.tsx'
import { SelfReplacing } from './self-replacing.tsx'

/** What can be done with a key. */
export type KeyAction = 'addresses' | 'rotate' | 'selfReplacing' | 'revoke'

export interface KeyDialogsProps {
  readonly applicationId: string
  readonly apiKey: Key
  readonly opened: KeyAction | undefined
  readonly onClose: () => void
  readonly onIssued: (key: IssuedKey) => void
  readonly onRevoked: (keyId: string) => void
}

/** The dialogs of a key. */
export function KeyDialogs({ opened, onIssued, onRevoked, ...shared }: KeyDialogsProps) {
  return (
    <>
      <AllowedAddresses {...shared} opened={opened === 'addresses'} />
      <SelfReplacing {...shared} opened={opened === 'selfReplacing'} />
      <RotateKey {...shared} opened={opened === 'rotate'} onIssued={onIssued} />
      <RevokeKey {...shared} opened={opened === 'revoke'} onRevoked={onRevoked} />
    </>
  )
}
