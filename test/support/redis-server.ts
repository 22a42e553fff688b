import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from './database.ts'
import { freePort } from './free-port.ts'
import { redisCommand } from './redis-command.ts'
import { until } from './until.ts'

export interface RedisServer {
  /** `redis://127.0.0.1:<port>`. */
  readonly url: string
  readonly port: number
  /** Ends it without a farewell (SIGKILL); what was not persisted is lost. */
  kill(): Promise<void>
  /** Shuts it down cleanly and removes its folder. Safe to call twice. */
  stop(): Promise<void>
  /** Starts it again on the same port and folder, after {@link kill}. */
  restart(): Promise<void>
  /** Suspends and resumes it (SIGSTOP, SIGCONT): while suspended, it keeps its connections but does not answer. */
  suspend(): void
  resume(): void
  /** {@link redisCommand} */
  cli(...command: string[]): Promise<string>
  /** Script calls that named a key with `name` in it, while `work` ran: a gateway asks about other things by itself. */
  askedAbout(name: string, work: () => Promise<void>): Promise<number>
}

export interface RedisServerOptions {
  /** (Default: any free one.) */
  readonly port?: number
  /** More settings, as for the command line: `['--maxmemory-policy', 'allkeys-lru']`. */
  readonly args?: readonly string[]
}

/** Another server that speaks the protocol, such as Valkey or a newer Redis, is tested by naming its program. */
const program = process.env['REDIS_SERVER_BINARY'] ?? 'redis-server'

/** Says why tests that need a real Redis cannot run here, for the option `skip` of a test; false when they can. */
export function redisMissing(): string | false {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return false
  } catch {
    return 'redis-server is not installed'
  }
}

/** Starts a real Redis on loopback, without persistence, and resolves when it accepts connections. */
export async function startRedisServer({
  port: asked,
  args = [],
}: RedisServerOptions = {}): Promise<RedisServer> {
  const port = asked ?? (await freePort())
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-redis-'))
  let server = await start()

  function start(): Promise<ChildProcess> {
    return spawnRedis(port, [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      folder,
      '--save',
      '',
      '--appendonly',
      'no',
      '--enable-debug-command',
      'yes',
      ...args,
    ])
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return
    const gone = once(server, 'exit')
    server.kill(signal)
    await gone
  }

  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    kill: () => end('SIGKILL'),
    async stop() {
      server.kill('SIGCONT')
      await end('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
    async restart() {
      server = await start()
    },
    suspend: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    cli: (...command) => redisCommand(port, ...command),
    async askedAbout(name, work) {
      // Over a plain socket: ioredis fails when the first commands come in one piece with the answer to MONITOR.
      const monitor = connect(port, '127.0.0.1')
      try {
        const lines = createInterface(monitor)[Symbol.asyncIterator]()
        monitor.write('MONITOR\r\n')
        await lines.next()
        await work()
        const end = randomUUID()
        await redisCommand(port, 'ECHO', end)
        let asked = 0
        for await (const line of { [Symbol.asyncIterator]: () => lines }) {
          if (line.includes(end)) break
          if (/ "evalsha" /i.test(line) && line.includes(name)) asked += 1
        }
        return asked
      } finally {
        monitor.destroy()
      }
    },
  }
}

/** A Redis that ends with the test. */
export async function testRedis(t: Test, options?: RedisServerOptions): Promise<RedisServer> {
  const server = await startRedisServer(options)
  t.teardown(() => server.stop())
  return server
}

/** Starts the server with these arguments and resolves when it accepts connections on the port. */
export async function spawnRedis(port: number, args: readonly string[]): Promise<ChildProcess> {
  // It ends with this process, however that ends: a runner that kills a slow test leaves nothing behind.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-300)
  })
  const failure = new Promise<never>((_resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}: ${said}`)))
  })
  failure.catch(() => undefined) // later it ends as it should
  const isRunning = () =>
    child.pid !== undefined && child.exitCode === null && child.signalCode === null
  const started = until('Redis accepts connections', () => !isRunning() || accepts(port))
  await Promise.race([failure, started])
  return child
}

/** @throws when nothing accepts connections on the port */
async function accepts(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' })
  try {
    await once(socket, 'connect')
    return true
  } finally {
    socket.destroy()
  }
}
