import type { Key } from '../../../../portal/api/schemas/applications.ts'

/** What every dialog about one key gets. */
export interface KeyDialogProps {
  readonly applicationId: string
  readonly apiKey: Key
  readonly opened: boolean
  readonly onClose: () => void
}
