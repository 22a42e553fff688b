import type { RedisSentinel } from '../../../test/support/redis-sentinel.ts'
import type { RedisServer } from '../../../test/support/redis-server.ts'
import { until } from '../../../test/support/until.ts'
import type { Fault } from '../run-fault.ts'
import type { StoreProbe } from '../store-probe.ts'

export interface SentinelFaultsOptions {
  readonly sentinel: RedisSentinel
  readonly probe: StoreProbe
}

/**
 * Failovers. Each ends with the other server as the primary; afterwards
 * {@link SentinelFaults.restore} makes a replica of the one that was.
 */
export interface SentinelFaults {
  readonly faults: readonly Fault[]
  /** Two servers again, one following the other. */
  restore(): Promise<void>
}

export function sentinelFaults({ sentinel, probe }: SentinelFaultsOptions): SentinelFaults {
  let from: RedisServer
  /** Until then no gateway can know whom to ask. */
  let switching: Promise<void>
  let restoreServer: () => Promise<void> = async () => undefined

  async function other(): Promise<RedisServer> {
    from = await sentinel.primary()
    const [first, second] = sentinel.servers
    const to = from === first ? second : first
    // It accepts writes when it is the primary.
    probe.target(to.port)
    return to
  }

  const base = { id: 'R5', losesCounts: true, lastsMs: [2500, 3500] } as const
  return {
    faults: [
      {
        ...base,
        title: 'Sentinel: SIGKILL of the primary',
        isOutage: true,
        async begin({ lost, mended, applicationIds }) {
          const to = await other()
          const before = await counted(from, applicationIds)
          await from.kill()
          switching = sentinel.switched(from).then(mended)
          lost(Math.max(0, before - (await counted(to, applicationIds))), before)
          const killed = from
          restoreServer = () => killed.restart()
        },
        end: () => switching,
      },
      {
        ...base,
        title: 'Sentinel: failover by command',
        isOutage: false,
        async begin({ mended }) {
          await other()
          await sentinel.failover()
          mended()
        },
        end: async () => undefined,
      },
      ...([0, 1] as const).map(
        (replicas): Fault => ({
          ...base,
          isOutage: false,
          lastsMs: [3500, 4500],
          title: `Sentinel: primary and gateways cut off from the rest, min-replicas ${replicas}`,
          async begin({ lost, mended, applicationIds }) {
            const to = await other()
            const cut = from
            await cut.cli('CONFIG', 'SET', 'min-replicas-to-write', String(replicas))
            await cut.cli('CONFIG', 'SET', 'min-replicas-max-lag', '1')
            await cutOff(cut)
            switching = sentinel.switched(cut).then(mended)
            restoreServer = async () => {
              await cut.cli('-a', secret, 'CONFIG', 'SET', 'min-replicas-to-write', '0')
              await cut.cli('-a', secret, 'CONFIG', 'SET', 'requirepass', '')
            }
            await promoted(to)
            const before = await counted(cut, applicationIds, '-a', secret)
            lost(Math.max(0, before - (await counted(to, applicationIds))), before)
          },
          end: () => switching,
        }),
      ),
    ],
    async restore() {
      await restoreServer()
      restoreServer = async () => undefined
      await sentinel.follow()
    },
  }
}

const secret = 'nobody-knows'

/** Rejects new connections and ends those of sentinels and replicas: only the gateways stay connected to the primary. */
async function cutOff(primary: RedisServer): Promise<void> {
  await primary.cli('CONFIG', 'SET', 'requirepass', secret)
  const clients = (await primary.cli('-a', secret, 'CLIENT', 'LIST')).split('\n')
  for (const line of clients) {
    if (!/name=sentinel-|flags=[A-Z]*S/.test(line)) continue
    const id = /^id=(\d+)/.exec(line)?.[1] ?? ''
    await primary.cli('-a', secret, 'CLIENT', 'KILL', 'ID', id)
  }
}

/** The sum of all counts of some applications on one server, whatever its role. */
async function counted(
  server: RedisServer,
  applicationIds: readonly string[],
  ...options: readonly string[]
): Promise<number> {
  const sum = `local sum = 0
    for _, id in ipairs(ARGV) do
      for _, key in ipairs(redis.call('KEYS', 'tollgate:{' .. id .. '}*')) do
        sum = sum + tonumber(string.match(redis.call('GET', key), '(%d+)$'))
      end
    end
    return sum`
  return Number(await server.cli(...options, 'EVAL_RO', sum, '0', ...applicationIds))
}

function promoted(server: RedisServer): Promise<void> {
  return until('the other server is promoted', async () =>
    (await server.cli('ROLE')).startsWith('master'),
  )
}
