import { setTimeout as delay } from 'node:timers/promises'

/** Rows of a portion: a few milliseconds of the database, which then serves others. */
export const rowsPerPortion = 2_000

const pauseMs = 50

/**
 * Deletes what is too old portion by portion, with a pause after each, until a
 * portion is not full. A run that ends early has done its portions; the next
 * one continues.
 *
 * @param deletePortion deletes at most `rows` and resolves to their number
 * @param isStopped asked before each portion
 */
export async function inPortions(
  deletePortion: (rows: number) => Promise<number>,
  isStopped: () => boolean = () => false,
): Promise<void> {
  while (!isStopped() && (await deletePortion(rowsPerPortion)) >= rowsPerPortion) {
    await delay(pauseMs)
  }
}
