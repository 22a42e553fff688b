import type { IssuedKey, Key } from '../../../../portal/api/schemas/applications.ts'
import { AllowedAddresses } from './allowed-addresses.tsx'
import { RevokeKey } from './revoke-key.tsx'
import { RotateKey } from './rotate-key.tsx'
import { SelfReplacing } from './self-replacing.tsx'

/** What can be done with a key. */
export type KeyAction = 'addresses' | 'rotate' | 'selfReplacing' | 'revoke'

export interface KeyDialogProps {
  /** Which dialog. */
  readonly action: KeyAction
  readonly applicationId: string
  readonly apiKey: Key
  readonly opened: boolean
  readonly onClose: () => void
  readonly onIssued: (key: IssuedKey) => void
  readonly onRevoked: (keyId: string) => void
}

/** One of the dialogs of a key. */
export function KeyDialog({ action, onIssued, onRevoked, ...shared }: KeyDialogProps) {
  if (action === 'addresses') return <AllowedAddresses {...shared} />
  if (action === 'selfReplacing') return <SelfReplacing {...shared} />
  if (action === 'rotate') return <RotateKey {...shared} onIssued={onIssued} />
  return <RevokeKey {...shared} onRevoked={onRevoked} />
}
