import { execFile } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeOthers } from './before-others.ts'
import type { RequestList } from './workload.ts'

const run = promisify(execFile)

/** Duration of each call in milliseconds, in no particular order. */
export type Latencies = readonly number[]

export interface OpenLoopOptions {
  /** Origin. */
  readonly url: string
  /** Sent in order, repeating from the first. */
  readonly list: RequestList
  /** Index of the first request. (Default: 0) */
  readonly begin?: number
  readonly callsPerSecond: number
  readonly seconds: number
  /** At the same rate before the first measured call, and not among the latencies. (Default: 0) */
  readonly warmSeconds?: number
}

/** One thread for its collections, and room for a round without one. */
const openLoopOptions = [
  '--expose-gc',
  '--single-threaded-gc',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
]

/**
 * Calls at a constant rate, whether or not earlier calls were answered: a slow
 * answer delays no other call, so calls that fall due during it are measured,
 * too (no coordinated omission).
 *
 * @throws when an answer is not 200
 */
export async function callOpenLoop(options: OpenLoopOptions): Promise<Latencies> {
  const { url, list, begin = 0, callsPerSecond, seconds, warmSeconds = 0 } = options
  const program = join(import.meta.dirname, 'open-loop.ts')
  const load = [url, list.path, begin, callsPerSecond, seconds, warmSeconds].map(String)
  const words = [...beforeOthers('load'), process.execPath, ...openLoopOptions, program, ...load]
  const { stdout } = await run('env', words, { maxBuffer: 100_000_000 })
  return JSON.parse(stdout)
}

/** Calls one after the other on one connection. @throws when an answer is not 200 */
export async function callInTurn(url: string, requests: Iterable<string>): Promise<Latencies> {
  const connections = createConnections(url)
  const latencies: number[] = []
  try {
    for (const request of requests) {
      const beganAt = performance.now()
      const status = await new Promise<string>((answered) => connections.call(request, answered))
      latencies.push(performance.now() - beganAt)
      if (status !== '200') throw new Error(`${url}: answered ${status}`)
    }
  } finally {
    connections.close()
  }
  return latencies
}

/** Makes each call once, `concurrency` at a time. @throws when an answer is not 200 */
export async function callEach(
  url: string,
  requests: Iterable<string>,
  concurrency: number,
): Promise<void> {
  const connections = createConnections(url)
  const rest = requests[Symbol.iterator]()
  const callRest = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) {
      const request = next.value
      const status = await new Promise<string>((answered) => connections.call(request, answered))
      if (status !== '200') throw new Error(`${url}: answered ${status}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: concurrency }, callRest))
  } finally {
    connections.close()
  }
}

interface Connections {
  /** Sends a request on an idle connection, or on a new one. */
  call(request: string, answered: (status: string) => void): void
  close(): void
}

function createConnections(url: string): Connections {
  const { hostname, port } = new URL(url)
  const idle: Socket[] = []
  const all = new Set<Socket>()
  const pending = new WeakMap<Socket, Pending>()

  function open(): Socket {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    all.add(socket)
    socket.on('data', (chunk: Buffer) => {
      const call = pending.get(socket)
      if (call === undefined) return
      call.text += chunk.toString('latin1')
      const answer = readAnswer(call.text)
      if (answer === undefined) return
      pending.delete(socket)
      if (answer.closes) socket.destroy()
      else idle.push(socket)
      call.answered(answer.status)
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      all.delete(socket)
      const index = idle.indexOf(socket)
      if (index >= 0) idle.splice(index, 1)
      pending.get(socket)?.answered('nothing')
    })
    return socket
  }

  return {
    call(request, answered) {
      const socket = idle.pop() ?? open()
      pending.set(socket, { text: '', answered })
      socket.write(request)
    },
    close() {
      for (const socket of all) socket.destroy()
    },
  }
}

interface Pending {
  text: string
  readonly answered: (status: string) => void
}

/** Undefined until the answer is complete. Supports only answers with a Content-Length. */
function readAnswer(text: string): { status: string; closes: boolean } | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = text.slice(0, end)
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? Number.NaN)
  if (Number.isNaN(length)) return { status: 'without a length', closes: true }
  if (text.length < end + 4 + length) return undefined
  return { status: head.slice(9, 12), closes: /\r\nconnection: *close/i.test(head) }
}
