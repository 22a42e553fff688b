import { setImmediate as turn } from 'node:timers/promises'
import { readOctetsMax } from '../catalogue/documents/kept-document.ts'
import type { Prepare } from './publisher.ts'

/** Reads documents before a call waits for one, one per turn of the event loop, as far as they stay in memory. */
export const prepareDocuments: Prepare = async ({ versions }) => {
  let octets = 0
  for (const { document } of versions.values()) {
    octets += document.json().length
    if (octets > readOctetsMax) break
    await turn()
    document.read()
  }
  return () => {}
}
