import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Test } from '../../test/support/database.ts'

/** What a gateway says of itself. */
export interface GatewayState {
  /** Names of the buckets that admitted a call since the last time, once for each call. */
  readonly counted: readonly string[]
  /** Since its start. */
  readonly processorMicroseconds: number
  readonly residentBytes: number
}

/** A gateway in its own process. */
export interface AttackedGateway {
  /** Origin. */
  readonly url: string
  /** @throws when the process has ended or does not answer */
  state(): Promise<GatewayState>
  /** What it wrote, how it ended if it did, and whether it stopped answering: all of it is a crash. */
  crashes(): readonly string[]
  close(): Promise<void>
}

export interface AttackedGatewayOptions {
  /** Origin. */
  readonly backendUrl: string
  /** A fault of `planted.ts`, by its name. (Default: none) */
  readonly planted?: string | undefined
  /** Whether its listener has TLS. (Default: false) */
  readonly isSecure?: boolean | undefined
}

const program = fileURLToPath(new URL('gateway-process.ts', import.meta.url))
const planting = new URL('plant.ts', import.meta.url).href

/** Longer than a start takes, or an answer, on a busy machine. */
const patienceMs = 20_000

/** Starts it; it ends with the scope. */
export async function startAttackedGateway(
  t: Test,
  { backendUrl, planted, isSecure = false }: AttackedGatewayOptions,
): Promise<AttackedGateway> {
  const child = fork(program, [backendUrl, isSecure ? 'https' : 'http'], {
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    execArgv: planted === undefined ? [] : ['--import', planting],
    env: { ...process.env, NODE_OPTIONS: '', PLANTED: planted ?? '' },
  })
  let written = ''
  let isWanted = true
  child.stderr?.on('data', (text) => {
    written += String(text)
  })
  const ended = once(child, 'exit')
  const crashed = ended.then(([code, signal]) => {
    if (isWanted) written += `ended with ${code ?? signal}\n`
    throw new Error(`the gateway ended: ${written}`)
  })
  crashed.catch(() => undefined)
  const closed = async (): Promise<void> => {
    isWanted = false
    if (child.connected) child.disconnect()
    const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
    await ended
    clearTimeout(timer)
  }
  t.teardown(closed)
  const next = async (what: string): Promise<unknown> => {
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(), patienceMs)
    const message = once(child, 'message', { signal: patience.signal }).catch(() => {
      written += `no ${what} within ${patienceMs} ms\n`
      throw new Error(written)
    })
    const [first] = await Promise.race([message, crashed]).finally(() => clearTimeout(timer))
    return first
  }
  const url = String(await next('address'))
  return {
    url,
    async state() {
      const answer = next('state')
      if (child.connected) child.send('state')
      // The program sends nothing else.
      return (await answer) as GatewayState
    },
    crashes: () => written.split('\n').filter((line) => line !== ''),
    close: closed,
  }
}
