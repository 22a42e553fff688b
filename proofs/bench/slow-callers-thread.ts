// The thread of slow-callers.ts. Says "opened" once, and then its state whenever it is asked.
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
  /** What the callers send, one character per octet: the first caller the first, and so on, then from the beginning. */
  readonly requests: readonly string[]
  /** What they send again and again after that. (Default: nothing) */
  readonly again?: Repetition
  /**
   * Milliseconds between the pieces of an answer that they take, each as much as Node reads at once. (Default: they take
   * what comes.)
   */
  readonly readsEveryMs?: number
  /** (Default: each caller waits until it is disconnected, and comes back after a while.) */
  readonly inStep?: InStep
}

export interface Repetition {
  /** (Default: the request of the caller) */
  readonly octets?: string
  readonly everyMs: number
  /** Whether every second caller sends nothing more. (Default: false) */
  readonly isOfHalf?: boolean
}

/** All callers that were disconnected or left come back together. */
export interface InStep {
  readonly everyMs: number
  /** The answer at which a caller leaves: a refusal, or the first octet. */
  readonly leavesWhen: 'refused' | 'answered'
}

/** What the thread of the callers says of itself. */
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

/** Milliseconds after which a caller that was ended comes again, spread so that they do not come in waves. */
const reopenMs = { least: 1_000, most: 3_000 }
/** Connections opened in one turn at first: fewer than a listener keeps waiting. */
const batch = 100

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
    if (answer.toString('latin1', 0, 5) === 'HTTP/' && isRefusal(answer)) refusals += 1
    if (readsEveryMs !== undefined) socket.pause()
    if (inStep?.leavesWhen === 'answered' || (inStep && isRefusal(answer))) socket.destroy()
  })
}

function requestOf(caller: number): string {
  return requests[caller % requests.length] ?? ''
}

/** 100 Continue is not one. */
function isRefusal(answer: Buffer): boolean {
  return answer.toString('latin1', 9, 10) >= '4'
}

if (inStep !== undefined) {
  setInterval(() => {
    for (const caller of ended.splice(0)) open(caller)
  }, inStep.everyMs)
}
if (again !== undefined) {
  setInterval(() => {
    for (const [caller, socket] of sockets) {
      const isQuiet = again.isOfHalf && caller % 2 === 0
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
  const open = [...sockets.values()].filter(isOpen).length
  const state: SlowCallersState = { open, cuts, octets, refusals }
  parentPort?.postMessage(state)
})
for (let caller = 0; caller < callers; caller += 1) {
  open(caller)
  if (caller % batch === batch - 1) await delay(20)
}
parentPort?.postMessage('opened')
