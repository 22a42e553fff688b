import type { PoolOptions } from '../../src/gateway/upstream/pool.ts'

/** Options of a pool; a test names only those that it is about. */
export function poolOptions(options: Partial<PoolOptions> & Pick<PoolOptions, 'url'>): PoolOptions {
  return {
    connectionsMax: 1,
    connectionMsMax: 30_000,
    connectMsMax: 2_000,
    idleMsMax: 4_000,
    idleMsCeiling: 30_000,
    monotonic: () => performance.now(),
    ...options,
  }
}
