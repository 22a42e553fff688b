import { setTimeout as delay } from 'node:timers/promises'
import type { Test } from '../../test/support/database.ts'
import { type RedisServer, startRedisServer } from '../../test/support/redis-server.ts'
import { type ModeWatch, watchModes } from './mode-watch.ts'
import { type Rig, type RigOptions, startRig } from './rig.ts'
import { waitFor } from './run-fault.ts'
import { type StoreProbe, startStoreProbe } from './store-probe.ts'

/** A rig on one Redis, which can be exchanged. */
export interface SingleStore {
  readonly rig: Rig
  readonly modes: ModeWatch
  readonly probe: StoreProbe
  /** The Redis of now. */
  redis(): RedisServer
  /** Lets the gateways use a Redis started with these settings, and resolves when they do. */
  serve(args: readonly string[]): Promise<void>
}

export interface SingleStoreOptions {
  readonly books: RigOptions['books']
  /** Added to the environment of one gateway. */
  readonly env?: (gateway: number) => Readonly<Record<string, string>>
}

export async function startSingleStore(
  t: Test,
  { books, env }: SingleStoreOptions,
): Promise<SingleStore> {
  let served = ''
  let redis = await startRedisServer()
  t.teardown(() => redis.stop())
  const rig = await startRig(t, {
    books,
    redis: { port: redis.port },
    ...(env === undefined ? {} : { env }),
  })
  const modes = watchModes(rig.gateways.map(({ urls }) => urls.management))
  t.teardown(() => modes.stop())
  const probe = startStoreProbe(redis.port)
  t.teardown(() => probe.stop())
  return {
    rig,
    modes,
    probe,
    redis: () => redis,
    async serve(args) {
      if (args.join(' ') === served) return
      served = args.join(' ')
      const next = await startRedisServer({ args })
      for (const proxy of rig.redisProxies) {
        await proxy.target(next.port)
        await proxy.trouble({ kind: 'reset' })
      }
      await redis.stop()
      redis = next
      probe.target(next.port)
      for (const proxy of rig.redisProxies) await proxy.trouble({ kind: 'none' })
      await delay(200)
      if (!(await waitFor(modes.isShared, 10_000))) throw new Error('the gateways do not use it')
    },
  }
}
