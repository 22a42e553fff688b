import { CountersLostError } from '../catch-up.ts'
import { markerOf } from '../grant-script.ts'
import type { DividedPush } from '../part.ts'
import { hashSlot } from './hash-slot.ts'
import { redirectionOf } from './redirection.ts'

/** Pushes one part for each slot, and then reads the marker on the same connection. */
export const pushBySlot: DividedPush = async (asked, tools) => {
  const { marker, readMarker, pushPart, giveBack } = tools
  const parts = [...Map.groupBy(asked, ({ bucket }) => hashSlot(bucket)).values()]
  const pushed = Promise.allSettled(parts.map((part) => pushPart(part)))
  const after = marker === undefined ? undefined : await readMarker().catch(toError)
  const outcomes = await pushed
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  if (after instanceof Error && redirectionOf(after) === undefined) {
    giveBack(asked)
    throw after
  }
  if (!(after instanceof Error) && marker !== undefined && markerOf(after) !== marker) {
    giveBack(asked)
    throw new CountersLostError()
  }
  return outcomes.every((outcome) => outcome.status === 'fulfilled' && outcome.value)
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
