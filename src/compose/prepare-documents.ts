import { setImmediate as turn } from 'node:timers/promises'
import { documentOf } from '../catalogue/documents/upgrade.ts'
import type { Prepare } from './publisher.ts'

/** Gives every document the form that calls need before a call waits for it, one per turn of the event loop. */
export const prepareDocuments: Prepare = async ({ versions }) => {
  for (const version of versions.values()) {
    await turn()
    documentOf(version)
  }
  return () => {}
}
