import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { callEach } from '../client.ts'
import { settleMs, startTollgatePeer } from '../peers/tollgate-peer.ts'
import { print, printTable } from '../report.ts'
import { everyBucket, requestTexts } from '../workload.ts'
import type { BenchWorld } from '../world.ts'
import type { Section } from './section.ts'

const tables = [
  'developers',
  'applications',
  'subscriptions',
  'api_keys',
  'usage_minutes',
  'usage_hours',
  'usage_days',
  'call_records',
  'availability_minutes',
  'audit',
  'audit_links',
]

/**
 * How many bytes the stores hold for each thing that Tollgate keeps, after one call of every application to every operation.
 */
export const sizes: Section = async (world, { connections }) => {
  const before = await redisUse(world)
  const tollgate = await startTollgatePeer(world, { name: 'Tollgate' })
  await callEach(tollgate.url, requestTexts(everyBucket(world.keys)), connections)
  const after = await redisUse(world)
  const buckets = after.keys - before.keys
  const perBucket = (after.bytes - before.bytes) / buckets
  await delay(settleMs)
  const database = new pg.Client(world.databaseUrl)
  await database.connect()
  try {
    await database.query('vacuum analyze')
    const rows: string[][] = []
    for (const table of tables) {
      const { rows: found } = await database.query<{ count: number; bytes: number }>(
        `select count(*)::int as count, pg_total_relation_size('${table}')::float8 as bytes from ${table}`,
      )
      const { count = 0, bytes = 0 } = found[0] ?? {}
      if (count >= 1_000) rows.push([table, String(count), (bytes / count).toFixed(0)])
    }
    printTable(['table of PostgreSQL', 'rows', 'bytes a row, with indexes'], rows)
    const { rowCount } = await database.query(
      `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    print(`${rowCount} connections of the gateway to PostgreSQL`)
  } finally {
    await database.end()
  }
  print(`${perBucket.toFixed(0)} bytes of Redis for each of ${buckets} buckets`)
  print(`${(tollgate.target.residentBytes() / 1e6).toFixed(0)} MB resident in the gateway`)
}

async function redisUse({ redis }: BenchWorld): Promise<{ bytes: number; keys: number }> {
  const used = /used_memory:(\d+)/.exec(await redis.cli('INFO', 'memory'))?.[1]
  return { bytes: Number(used), keys: Number(await redis.cli('DBSIZE')) }
}
