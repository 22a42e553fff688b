/**
 * Waits for all of them even when one fails, so that what the others opened is
 * known to whoever closes it. Then throws what the first in the list threw.
 */
export async function together<const Work extends readonly Promise<unknown>[]>(
  ...work: Work
): Promise<{ [Index in keyof Work]: Awaited<Work[Index]> }> {
  for (const outcome of await Promise.allSettled(work)) {
    if (outcome.status === 'rejected') throw outcome.reason
  }
  return Promise.all(work)
}
