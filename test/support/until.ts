import { setTimeout as delay } from 'node:timers/promises'

/** Asks until the answer is yes. @throws when it is not within the time */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  deadlineMs = 60_000,
): Promise<void> {
  const deadline = Date.now() + deadlineMs
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`not within ${deadlineMs} ms: ${what}`)
    await delay(20)
  }
}
