import { CountersLostError } from '../catch-up.ts'
import { markerOf } from '../grant-script.ts'
import type { DividedPush } from '../part.ts'
import { hashSlot } from './hash-slot.ts'
import { redirectionOf } from './redirection.ts'

/**
 * Pushes one part for each slot. The marker is read after the last reply, because
 * a part may have been sent again. When any part failed, no other counts as sent:
 * the node may have lost its counters meanwhile.
 */
export const pushBySlot: DividedPush = async (asked, tools) => {
  const { marker, readMarker, pushPart, giveBack } = tools
  const parts = [...Map.groupBy(asked, ({ bucket }) => hashSlot(bucket)).values()]
  const outcomes = await Promise.allSettled(parts.map((part) => pushPart(part)))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  const failure = failed?.reason ?? (await lossSince(marker, readMarker))
  if (failure !== undefined) {
    // The other parts have been given back.
    giveBack(parts.filter((_, at) => isTaken(outcomes[at])).flat())
    throw failure
  }
  return outcomes.every(isTaken)
}

function isTaken(outcome: PromiseSettledResult<boolean> | undefined): boolean {
  return outcome?.status === 'fulfilled' && outcome.value
}

/** Why the server may no longer have what was pushed; undefined: it has, or no marker is to be compared. */
async function lossSince(
  marker: number | undefined,
  readMarker: () => Promise<string | undefined>,
): Promise<unknown> {
  if (marker === undefined) return undefined
  try {
    return markerOf(await readMarker()) === marker ? undefined : new CountersLostError()
  } catch (error) {
    const hasMoved = error instanceof Error && redirectionOf(error) !== undefined
    return hasMoved ? undefined : error
  }
}
