const isWhole = process.env['PROOF'] === 'whole'

/** The seed of a share: everybody's run of it does the same. */
const seedOfShare = 20_260_901

/**
 * How much of a long proof a test runs: all of it under `npm run prove`, else the
 * share that every landing has time for.
 */
export function proofSize({ share, whole }: { share: number; whole: number }): number {
  return isWhole ? whole : share
}

/** What a random proof draws from. SEED repeats a run; a share draws the same every time, a whole proof never. */
export function proofSeed(): number {
  return Number(process.env['SEED'] ?? (isWhole ? Date.now() % 2 ** 31 : seedOfShare))
}
