import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { RedisServer } from '../../../test/support/redis-server.ts'
import type { Fault } from '../run-fault.ts'
import type { SingleStore } from '../single-store.ts'

/** A fault of one Redis, or of the way to it. */
export interface SingleFault extends Fault {
  /** Arguments of the Redis server. (Default: none, so it keeps nothing when it ends.) */
  readonly args?: readonly string[]
}

const aof = ['--appendonly', 'yes', '--appendfsync', 'everysec']

/** Keeps its keys in a file that takes seconds to load, during which every answer is LOADING. */
const slowFile = [
  '--dbfilename',
  'slow.rdb',
  '--key-load-delay',
  '1000',
  '--loading-process-events-interval-bytes',
  '1024',
]

/** Runs over all counters, as a careless operator would. */
const overAllCounters = (command: string): string =>
  `for _, key in ipairs(redis.call('KEYS', 'tollgate:{*')) do ${command} end`

/** All experiments that need no more than one Redis. */
export function singleFaults({ rig, redis }: Pick<SingleStore, 'rig' | 'redis'>): SingleFault[] {
  const undo: (() => unknown)[] = []
  async function undoAll(): Promise<void> {
    for (const step of undo.splice(0)) await step()
  }
  function repeat(everySeconds: number, ...command: string[]): void {
    undo.push(repeatCommand(redis(), everySeconds, command))
  }
  const hang = { isOutage: true, lastsMs: [3000, 3000] } as const
  const outage = { isOutage: true, lastsMs: [2500, 3500] } as const
  const nuisance = { isOutage: false, lastsMs: [2500, 3500] } as const

  return [
    {
      // It may have lost its last second, so it is treated like one that lost its counters.
      id: 'R2',
      title: 'SIGKILL, restart with AOF everysec',
      ...outage,
      args: aof,
      losesCounts: true,
      begin: () => redis().kill(),
      end: () => redis().restart(),
    },
    {
      id: 'R2',
      title: 'SIGKILL, restart without a file',
      ...outage,
      losesCounts: true,
      begin: () => redis().kill(),
      end: () => redis().restart(),
    },
    {
      id: 'R2',
      title: 'SIGKILL, and one gateway killed and started again meanwhile',
      // The gateway that comes anew does not know what it admitted before: one share more.
      ...outage,
      losesCounts: true,
      faultedMost: 200,
      killed: [1],
      async begin({ spend }) {
        await redis().kill()
        await delay(300)
        await spend()
        await rig.replace(1)
      },
      end: () => redis().restart(),
    },
    {
      id: 'R3',
      title: 'SIGSTOP',
      isOutage: true,
      lastsMs: [5000, 5000],
      begin: async () => redis().suspend(),
      end: async () => redis().resume(),
    },
    {
      id: 'R3',
      title: 'CLIENT PAUSE ALL',
      ...hang,
      begin: async () => void (await redis().cli('CLIENT', 'PAUSE', '3000', 'ALL')),
      end: async () => undefined,
    },
    {
      id: 'R3',
      title: 'CLIENT PAUSE WRITE',
      ...hang,
      begin: async () => void (await redis().cli('CLIENT', 'PAUSE', '3000', 'WRITE')),
      end: async () => undefined,
    },
    {
      id: 'R3',
      title: 'DEBUG SLEEP',
      ...hang,
      async begin() {
        const asleep = redis().cli('DEBUG', 'SLEEP', '3')
        undo.push(() => asleep)
      },
      end: undoAll,
    },
    {
      id: 'R3',
      title: 'endless Lua, then BUSY',
      ...outage,
      async begin() {
        await redis().cli('CONFIG', 'SET', 'busy-reply-threshold', '1000')
        const looping = redis().cli('EVAL', 'while true do end', '0')
        undo.push(() => looping.catch(() => undefined)) // it ends with an error
      },
      async end() {
        await redis().cli('SCRIPT', 'KILL')
        await undoAll()
      },
    },
    {
      id: 'R4',
      title: 'REPLICAOF: READONLY',
      ...outage,
      begin: async () => void (await redis().cli('REPLICAOF', '127.0.0.1', '1')),
      end: async () => void (await redis().cli('REPLICAOF', 'NO', 'ONE')),
    },
    {
      id: 'R4',
      title: 'LOADING a large file',
      ...outage,
      args: slowFile,
      losesCounts: true,
      async begin() {
        await redis().cli('DEBUG', 'POPULATE', '3500', 'filler', '100')
        await redis().cli('SAVE')
        await redis().kill()
        await redis().restart()
      },
      end: async () => undefined,
    },
    {
      id: 'R4',
      title: 'maxmemory: OOM',
      ...outage,
      begin: async () => void (await redis().cli('CONFIG', 'SET', 'maxmemory', '1')),
      end: async () => void (await redis().cli('CONFIG', 'SET', 'maxmemory', '0')),
    },
    {
      id: 'R4',
      title: 'SCRIPT FLUSH every 50 ms',
      ...nuisance,
      begin: async () => repeat(0.05, 'SCRIPT', 'FLUSH'),
      end: undoAll,
    },
    {
      id: 'R4',
      title: 'requirepass changed: NOAUTH',
      ...outage,
      async begin() {
        await redis().cli('CONFIG', 'SET', 'requirepass', 'changed')
        await redis().cli('-a', 'changed', 'CLIENT', 'KILL', 'TYPE', 'normal')
      },
      end: async () =>
        void (await redis().cli('-a', 'changed', 'CONFIG', 'SET', 'requirepass', '')),
    },
    {
      // Only processes that saw the bucket can know its overwritten count; any other starts it from zero.
      id: 'R4',
      title: 'WRONGTYPE: all counters overwritten',
      ...nuisance,
      faultedMost: 200,
      begin: async () =>
        void (await redis().cli(
          'EVAL',
          overAllCounters(`redis.call('DEL', key) redis.call('RPUSH', key, 'x')`),
          '0',
        )),
      end: async () => undefined,
    },
    {
      id: 'R4',
      title: 'PERSIST on all counters every 250 ms',
      ...nuisance,
      begin: async () => repeat(0.25, 'EVAL', overAllCounters(`redis.call('PERSIST', key)`), '0'),
      end: undoAll,
    },
    {
      id: 'R7',
      title: 'FLUSHALL',
      isOutage: false,
      lastsMs: [1000, 1500],
      losesCounts: true,
      isInstant: true,
      begin: async () => void (await redis().cli('FLUSHALL')),
      end: async () => undefined,
    },
    {
      id: 'R7',
      title: 'restart empty at once',
      isOutage: false,
      lastsMs: [1500, 2000],
      losesCounts: true,
      async begin() {
        await redis().kill()
        await redis().restart()
      },
      end: async () => undefined,
    },
    {
      id: 'R8',
      title: '1 in 10 answers lost after execution',
      ...nuisance,
      async begin({ random }) {
        for (const proxy of rig.redisProxies) {
          await proxy.trouble({ kind: 'lose', oneIn: 10, seed: random.between(0, 2 ** 31) })
        }
      },
      end: () => calm(rig.redisProxies),
    },
    {
      // All of it within the deadline: no share is used.
      id: 'R8',
      title: 'a hiccup of 150 ms in each second',
      ...nuisance,
      faultedMost: 100,
      begin: async () => repeat(0.85, 'DEBUG', 'SLEEP', '0.15'),
      end: undoAll,
    },
    {
      id: 'R8',
      title: 'answers 30 to 80 ms late',
      ...nuisance,
      faultedMost: 100,
      async begin({ random }) {
        const seed = random.between(0, 2 ** 31)
        for (const proxy of rig.redisProxies) {
          await proxy.trouble({ kind: 'delay', leastMs: 30, mostMs: 80, seed })
        }
      },
      end: () => calm(rig.redisProxies),
    },
    {
      id: 'N1',
      title: 'one gateway cut off from Redis',
      ...nuisance,
      begin: async () => rig.redisProxies[0]?.trouble({ kind: 'stall' }),
      end: () => calm(rig.redisProxies),
    },
    {
      id: 'N1',
      title: 'one gateway cut off from PostgreSQL',
      ...nuisance,
      withoutRegistry: [0],
      begin: async () => rig.postgresProxies[0]?.trouble({ kind: 'stall' }),
      end: () => calm(rig.postgresProxies),
    },
  ]
}

async function calm(proxies: SingleStore['rig']['redisProxies']): Promise<void> {
  for (const proxy of proxies) await proxy.trouble({ kind: 'none' })
}

/** Runs a command again and again; returns what ends it. */
function repeatCommand(
  { port }: RedisServer,
  everySeconds: number,
  command: readonly string[],
): () => Promise<void> {
  const child = spawn(
    'redis-cli',
    ['-p', String(port), '-r', '-1', '-i', String(everySeconds), ...command],
    { stdio: 'ignore' },
  )
  const ended = once(child, 'exit')
  return async () => {
    child.kill()
    await ended
  }
}
