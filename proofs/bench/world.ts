import { Redis } from 'ioredis'
import { administer, startPostgres } from '../../test/support/database.ts'
import { type RedisServer, startRedisServer } from '../../test/support/redis-server.ts'
import { startBackend } from './backend.ts'
import { putBeforeOthers } from './before-others.ts'
import { ample, spent } from './catalogue.ts'
import { fillRegistry } from './fill-registry.ts'
import type { BenchOptions } from './options.ts'
import type { World } from './peers/peer.ts'
import { secrets } from './peers/tollgate-peer.ts'
import { type PinnedProcess, processTree } from './process.ts'
import type { Workbench } from './workbench.ts'

/** The stores and the backend all subjects share, and the applications in them. */
export interface BenchWorld extends World {
  readonly redis: RedisServer
  /** PostgreSQL, which runs only while nothing else on its core does. */
  readonly database: Pick<PinnedProcess, 'cpuMicroseconds'>
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
  const database = await processesOf(databaseUrl)
  const fill = (count: number, plan: string): Promise<string[]> =>
    fillRegistry({ databaseUrl, pepper: secrets.KEY_PEPPER, applications: count, plan })
  const keys = await fill(applications, ample.name)
  await prepareRedis(redis.url, keys)
  const spentKeys = await fill(spentApplications, spent.name)
  await tidyOnce(databaseUrl)
  const nodeOptions =
    profileFolder === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profileFolder]
  const stores = { redisUrl: redis.url, redis, databaseUrl, database }
  return { bench, backendUrl, ...stores, keys, spentKeys, nodeOptions }
}

/**
 * Vacuums now and not during the rounds: inside the kernel, where a vacuum spends
 * most of its time, nothing can run before it.
 */
async function tidyOnce(databaseUrl: string): Promise<void> {
  await administer(databaseUrl, 'vacuum analyze')
  await administer(databaseUrl, 'alter system set autovacuum = off')
  await administer(databaseUrl, 'select pg_reload_conf()')
}

async function processesOf(databaseUrl: string): Promise<BenchWorld['database']> {
  const { file } = await administer(databaseUrl, "select pg_read_file('postmaster.pid') as file")
  return processTree(Number.parseInt(String(file), 10))
}

/** Has Redis run before PostgreSQL, with the keys that the peers look up there. */
async function prepareRedis(redisUrl: string, keys: readonly string[]): Promise<void> {
  const redis = new Redis(redisUrl)
  putBeforeOthers(Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]))
  await redis.mset(keys.flatMap((key, index) => [`key:${key}`, `application-${index}`]))
  await redis.quit()
}
