/**
 * The number of buckets in which durations of calls are counted. Each is √2
 * times as long as the one before: bucket `n` holds durations whose square is
 * from 2^(n-1) to 2^n ms², so that bucket 20 is from 724 to 1,024 ms. Bucket 0
 * holds what is below 1 ms, bucket 31 what is above 32.8 s, which is longer than
 * a call may take.
 */
export const durationBuckets = 32

/** The bucket of a duration: one instruction finds the power of two below its square. */
export function bucketOf(ms: number): number {
  const square = ms * ms
  if (square < 1) return 0
  // Longer squares do not fit into the 32 bits of `clz32`.
  if (square >= 2 ** (durationBuckets - 1)) return durationBuckets - 1
  return 32 - Math.clz32(square)
}

/** No calls in any bucket. */
export function noDurations(): number[] {
  return new Array<number>(durationBuckets).fill(0)
}

/**
 * The duration that a share of calls does not exceed (the nearest rank), at
 * most 19 % off for durations from 1 ms to 32 s: the middle of its bucket, but
 * never more than the longest. Null without calls.
 *
 * @param counts calls by bucket
 * @param share from 0 to 1
 * @param maxMs the longest duration
 */
export function durationAt(
  counts: readonly number[],
  share: number,
  maxMs: number | null,
): number | null {
  const calls = counts.reduce((sum, count) => sum + count, 0)
  if (calls === 0 || maxMs === null) return null
  const rank = Math.max(1, Math.ceil(calls * share))
  let passed = 0
  const bucket = counts.findIndex((count) => {
    passed += count
    return passed >= rank
  })
  return Math.min(middleOf(bucket), maxMs)
}

/** Equally far, as a ratio, from both ends. */
function middleOf(bucket: number): number {
  return bucket === 0 ? 0.5 : 2 ** ((bucket - 0.5) / 2)
}
