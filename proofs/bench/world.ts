import { Redis } from 'ioredis'
import { startPostgres } from '../../test/support/database.ts'
import { type RedisServer, startRedisServer } from '../../test/support/redis-server.ts'
import { startBackend } from './backend.ts'
import { ample, spent } from './catalogue.ts'
import { fillRegistry } from './fill-registry.ts'
import type { BenchOptions } from './options.ts'
import type { World } from './peers/peer.ts'
import { secrets } from './peers/tollgate-peer.ts'
import type { Workbench } from './workbench.ts'

/** The stores and the backend all subjects share, and the applications in them. */
export interface BenchWorld extends World {
  readonly redis: RedisServer
  /** Keys of applications whose calls are used up after one call of each operation. */
  readonly spentKeys: readonly string[]
}

const applications = 1_000
const spentApplications = 20

/** Starts backend, Redis and PostgreSQL on the other core and registers the applications. */
export async function openWorld(
  bench: Workbench,
  { profileFolder }: Pick<BenchOptions, 'profileFolder'>,
): Promise<BenchWorld> {
  const backendUrl = await startBackend(bench)
  const redis = await startRedisServer()
  bench.undo(() => redis.stop())
  const postgres = await startPostgres({
    teardown: (undo) => bench.undo(async () => void (await undo())),
    comment: (text) => process.stderr.write(`${text}\n`),
  })
  const databaseUrl = postgres.url
  const fill = (count: number, plan: string): Promise<string[]> =>
    fillRegistry({ databaseUrl, pepper: secrets.KEY_PEPPER, applications: count, plan })
  const keys = await fill(applications, ample.name)
  await tellPeers(redis.url, keys)
  const spentKeys = await fill(spentApplications, spent.name)
  const nodeOptions =
    profileFolder === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profileFolder]
  const stores = { redisUrl: redis.url, redis, databaseUrl }
  return { bench, backendUrl, ...stores, keys, spentKeys, nodeOptions }
}

/** The peers look keys up in Redis. */
async function tellPeers(redisUrl: string, keys: readonly string[]): Promise<void> {
  const redis = new Redis(redisUrl)
  await redis.mset(keys.flatMap((key, index) => [`key:${key}`, `application-${index}`]))
  await redis.quit()
}
