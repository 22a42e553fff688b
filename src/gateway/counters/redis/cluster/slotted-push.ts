import { CountersLostError } from '../catch-up.ts'
import { markerOf } from '../grant-script.ts'
import type { DividedPush } from '../part.ts'
import { hashSlot } from './hash-slot.ts'
import { redirectionOf } from './redirection.ts'

/** Pushes one part for each slot. The marker is read after the last reply, because a part may have been sent again. */
export const pushBySlot: DividedPush = async (asked, tools) => {
  const { marker, readMarker, pushPart, giveBack } = tools
  const parts = [...Map.groupBy(asked, ({ bucket }) => hashSlot(bucket)).values()]
  const outcomes = await Promise.allSettled(parts.map((part) => pushPart(part)))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  const after = marker === undefined ? undefined : await readMarker().catch(toError)
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
