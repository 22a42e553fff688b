// The thread behind slow-callers.ts. Posts "opened" once all callers are open, then its state at each request.
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { createDraw } from '../../test/support/random.ts'
import { proofSeed } from '../size.ts'
import { addressIn } from './loopback-addresses.ts'

export interface SlowCallersOptions {
  /** Origin. */
  readonly url: string
  readonly callers: number
  /** Requests in turn, one per caller, one character per octet. */
  readonly requests: readonly string[]
  /** What the callers repeat after that. (Default: nothing) */
  readonly again?: Repetition
  /**
   * Interval in ms between the reads of a caller, each as much as Node reads at once. (Default: a caller reads all that
   * arrives)
   */
  readonly readsEveryMs?: number
  /** (Default: a caller reconnects 1 to 3 s after it is disconnected) */
  readonly inStep?: InStep
}

export interface Repetition {
  /** (Default: the request of the caller) */
  readonly octets?: string
  readonly everyMs: number
  /** Whether only every second caller repeats. (Default: false) */
  readonly onlyEverySecond?: boolean
}

/** Disconnected callers reconnect together at each interval. */
export interface InStep {
  readonly everyMs: number
  /** The answer at which a caller leaves: a refusal, or the first octet. */
  readonly leavesWhen: 'refused' | 'answered'
}

/** The state that the thread reports. */
export interface SlowCallersState {
  /** Connections that are open now. */
  readonly open: number
  /** How often a caller was disconnected, or left at its answer. */
  readonly cuts: number
  /** What the callers have read so far. */
  readonly octets: number
  /** Reads that begin with the head of a refusal. */
  readonly refusals: number
}

/** Pause before a disconnected caller reconnects, random so that callers do not return in waves. */
const reopenMs = { least: 1_000, most: 3_000 }
/** Connections opened per step at the start: fewer than a listener's backlog. */
const batch = 100
const batchPauseMs = 20

// startSlowCallers passes nothing else.
const { url, requests, callers, again, readsEveryMs, inStep }: SlowCallersOptions = workerData
const { hostname, port } = new URL(url)
const draw = createDraw(proofSeed())
const sockets = new Map<number, Socket>()
const ended: number[] = []
let cuts = 0
let octets = 0
let refusals = 0

function open(caller: number): void {
  const socket = connect({
    host: hostname,
    port: Number(port),
    localAddress: addressIn('slow', caller),
  })
  sockets.set(caller, socket)
  socket.on('connect', () => socket.write(requestOf(caller), 'latin1'))
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    sockets.delete(caller)
    cuts += 1
    if (inStep !== undefined) ended.push(caller)
    else setTimeout(open, reopenMs.least + draw(reopenMs.most - reopenMs.least), caller)
  })
  socket.on('data', (answer: Buffer) => {
    octets += answer.length
    if (isRefusal(answer)) refusals += 1
    if (readsEveryMs !== undefined) socket.pause()
    if (inStep?.leavesWhen === 'answered' || (inStep && isRefusal(answer))) socket.destroy()
  })
}

function requestOf(caller: number): string {
  return requests[caller % requests.length] ?? ''
}

/** Whether a read begins with the head of a refusal. */
function isRefusal(answer: Buffer): boolean {
  return /^HTTP\/1\.1 [45]/.test(answer.toString('latin1', 0, 10))
}

if (inStep !== undefined) {
  setInterval(() => {
    for (const caller of ended.splice(0)) open(caller)
  }, inStep.everyMs)
}
if (again !== undefined) {
  setInterval(() => {
    for (const [caller, socket] of sockets) {
      const isQuiet = again.onlyEverySecond && caller % 2 === 0
      if (isQuiet || socket.readyState !== 'open') continue
      socket.write(again.octets ?? requestOf(caller), 'latin1')
    }
  }, again.everyMs)
}
if (readsEveryMs !== undefined) {
  setInterval(() => {
    for (const socket of sockets.values()) socket.resume()
  }, readsEveryMs)
}
parentPort?.on('message', () => {
  const isOpen = ({ readyState }: Socket): boolean => readyState === 'open'
  const openCount = [...sockets.values()].filter(isOpen).length
  const state: SlowCallersState = { open: openCount, cuts, octets, refusals }
  parentPort?.postMessage(state)
})
for (let caller = 0; caller < callers; caller += 1) {
  open(caller)
  if (caller % batch === batch - 1) await delay(batchPauseMs)
}
parentPort?.postMessage('opened')
