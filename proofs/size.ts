const isWhole = process.env['PROOF'] === 'whole'

/** How much a proof does: all of it with `npm run prove -- NAME --whole`, else the share that takes minutes. */
export function proofSize({ share, whole }: { share: number; whole: number }): number {
  return isWhole ? whole : share
}

/**
 * What a random proof draws from: the seed of `npm run prove`, which notes it. A file that is run by hand draws the same
 * each time.
 */
export function proofSeed(): number {
  return Number(process.env['SEED'] ?? 20_260_901)
}
