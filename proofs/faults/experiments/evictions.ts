import type { RedisServer } from '../../../test/support/redis-server.ts'
import type { Fault } from '../run-fault.ts'
import type { SingleStore } from '../single-store.ts'

/** A Redis whose memory is full, which evicts keys although counters are among them. */
export interface EvictionFault extends Fault {
  readonly policy: string
}

export const evictionSettings = ({ policy }: EvictionFault): readonly string[] => [
  '--maxmemory-policy',
  policy,
]

/** With `REDIS_EVICTION_ALLOWED`: a gateway does not use such a Redis otherwise. */
export function evictionFaults({ redis }: Pick<SingleStore, 'redis'>): EvictionFault[] {
  const full = {
    id: 'E1',
    isOutage: false,
    lastsMs: [2500, 3500],
    // The marker may be among the keys.
    losesCounts: true,
    isInstant: true,
    // The limit once more for a counter that is gone, and the shares of three gateways.
    faultedMost: 275,
    end: async () => undefined,
  } as const
  return [
    {
      ...full,
      title: 'memory full: half of the keys go, least recently used first',
      policy: 'allkeys-lru',
      begin: () => fill(redis()),
    },
    {
      ...full,
      title: 'memory full: half of the keys go, at random',
      policy: 'allkeys-random',
      begin: () => fill(redis()),
    },
  ]
}

/** Fills the memory until half of the counters are gone, then gives it more. */
async function fill(redis: RedisServer): Promise<void> {
  const before = await counters(redis)
  const used = /used_memory:(\d+)/.exec(await redis.cli('INFO', 'memory'))?.[1] ?? '0'
  await redis.cli('CONFIG', 'SET', 'maxmemory', String(Number(used) + 20_000))
  for (let part = 0; (await counters(redis)) > before / 2; part += 1) {
    if (part === 1000) throw new Error('Redis evicts nothing')
    await redis.cli('SET', `filler:${part}`, 'x'.repeat(4000))
  }
  await redis.cli('CONFIG', 'SET', 'maxmemory', '0')
}

async function counters(redis: RedisServer): Promise<number> {
  const keys = await redis.cli('KEYS', 'tollgate:*')
  return keys.split('\n').filter((key) => key !== '').length
}
