/**
 * Waits for all promises even when one fails, so that the caller knows
 * everything the others opened and can close it. Then throws the failure of the
 * first in the list.
 */
export async function together<const Work extends readonly unknown[]>(
  ...work: Work
): Promise<{ [Index in keyof Work]: Awaited<Work[Index]> }> {
  for (const outcome of await Promise.allSettled(work)) {
    if (outcome.status === 'rejected') throw outcome.reason
  }
  return Promise.all(work)
}
