import type { Key } from '../../../../portal/api/schemas/applications.ts'

/** Whether the gateway takes the key, perhaps only until the overlap of a rotation ends. */
export function isWorking({ state }: Key): boolean {
  return state === 'active' || state === 'replaced'
}
