import { AllowedAddresses } from './allowed-addresses.tsx'
import { RevokeKey, type RevokeKeyProps } from './revoke-key.tsx'
import { RotateKey, type RotateKeyProps } from './rotate-key.tsx'
import { SelfReplacing } from './self-replacing.tsx'

/** What can be done with a key. */
export type KeyAction = 'addresses' | 'rotate' | 'selfReplacing' | 'revoke'

/** The key, and what hears that it was replaced (`onIssued`) or revoked (`onRevoked`). */
export type ChosenKeyDialogProps = RotateKeyProps &
  RevokeKeyProps & {
    /** Which dialog. */
    readonly action: KeyAction
  }

/** One of the dialogs of a key. */
export function KeyDialog({ action, onIssued, onRevoked, ...shared }: ChosenKeyDialogProps) {
  if (action === 'addresses') return <AllowedAddresses {...shared} />
  if (action === 'selfReplacing') return <SelfReplacing {...shared} />
  if (action === 'rotate') return <RotateKey {...shared} onIssued={onIssued} />
  return <RevokeKey {...shared} onRevoked={onRevoked} />
}
