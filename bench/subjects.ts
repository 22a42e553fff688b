import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type PinnedProcess, startPinned } from './process.ts'

/** Core of the process that is measured. */
export const targetCore = 0
/** Core of everything else: load, backend, stores. */
export const otherCore = 1

const root = fileURLToPath(new URL('..', import.meta.url))
const program = join(root, 'src', 'cli', 'main.ts')

/** Something to load, and how. */
export interface Subject {
  readonly name: string
  readonly target: PinnedProcess
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly expect: 'ok' | 'refused'
}

/** Opens things for the benchmark and undoes them, last first. */
export interface Workbench {
  readonly folder: string
  undo(action: () => Promise<void> | void): void
  close(): Promise<void>
}

export function createWorkbench(): Workbench {
  const folder = mkdtempSync(join(tmpdir(), 'tg-bench-'))
  const actions: (() => Promise<void> | void)[] = []
  return {
    folder,
    undo: (action) => void actions.push(action),
    async close() {
      for (const action of actions.toReversed()) await action()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The backend all subjects forward to. */
export async function startBackend(bench: Workbench): Promise<string> {
  const backend = await startPinned({
    core: otherCore,
    command: process.execPath,
    args: [join(root, 'bench', 'targets', 'backend.ts')],
    ready: /^ready (\S+)$/,
  })
  bench.undo(() => backend.stop())
  return backend.address
}

/** Forwarding and nothing else. */
export async function plainProxy(bench: Workbench, backendUrl: string): Promise<Subject> {
  const target = await startPinned({
    core: targetCore,
    command: process.execPath,
    args: [join(root, 'bench', 'targets', 'plain-proxy.ts')],
    env: { BACKEND_URL: backendUrl },
    ready: /^ready (\S+)$/,
  })
  bench.undo(() => target.stop())
  const url = `${target.address}/v1.7.0/accounts`
  return { name: 'plain @fastify/http-proxy', target, url, headers: {}, expect: 'ok' }
}

export interface TollgateOptions {
  readonly name: string
  readonly backendUrl: string
  /** Undefined: counters in the process. */
  readonly redisUrl: string | undefined
  readonly calls: number
  readonly expect: 'ok' | 'refused'
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>
}

/** The whole pipeline: key, subscription, exact count, headers, identity, metrics; log off. */
export async function tollgate(bench: Workbench, options: TollgateOptions): Promise<Subject> {
  const folder = mkdtempSync(join(bench.folder, 'gateway-'))
  const env = {
    DATA_DIR: join(folder, 'data'),
    CONFIG_DIR: configWithLimit(folder, options.calls),
    BACKEND_URL: options.backendUrl,
    LOG_LEVEL: 'error',
    GATEWAY_PORT: '0',
    MANAGEMENT_PORT: '0',
    ...(options.redisUrl === undefined ? {} : { REDIS_URL: options.redisUrl }),
    ...options.env,
  }
  const target = await startPinned({
    core: targetCore,
    command: process.execPath,
    args: [program, 'start', 'gateway'],
    env,
    ready: /^tollgate ready gateway=(\S+)/,
  })
  bench.undo(() => target.stop())
  const onboarded = execFileSync(
    process.execPath,
    [
      program,
      ...['onboard', '--email', 'bench@tollgate.example', '--application', 'Bench'],
      ...['--api', 'xs2a@1.7.0', '--json'],
    ],
    { env: { ...process.env, ...env }, encoding: 'utf8' },
  )
  // Parse boundary: what `tollgate onboard --json` prints.
  const { key } = JSON.parse(onboarded) as { key: string }
  return {
    name: options.name,
    target,
    url: `${target.address}/v1.7.0/accounts`,
    headers: { 'x-api-key': key, 'x-request-id': '5b2c0a51-7f0a-4b1e-9a63-6a0f3a8c1d11' },
    expect: options.expect,
  }
}

/** Starts Redis on the other core; undefined, with a word about it, where there is none. */
export async function startRedis(bench: Workbench): Promise<string | undefined> {
  if (!existsSync('/usr/bin/redis-server')) return undefined
  const path = join(bench.folder, 'redis.sock')
  const port = 20_000 + (process.pid % 20_000)
  const child = spawn(
    'taskset',
    [
      ...['-c', String(otherCore), '/usr/bin/redis-server', '--port', String(port)],
      ...['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--unixsocket', path],
    ],
    { stdio: 'ignore' },
  )
  bench.undo(async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 20))
  return `redis://127.0.0.1:${port}`
}

function configWithLimit(folder: string, calls: number): string {
  const config = join(folder, 'config')
  cpSync(join(root, 'config'), config, { recursive: true })
  const plan = join(config, 'plans', 'default.yaml')
  writeFileSync(plan, readFileSync(plan, 'utf8').replace(/calls: \d+/, `calls: ${calls}`))
  return config
}
