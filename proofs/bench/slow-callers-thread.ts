// The thread of slow-callers.ts. Says "opened" once, and then its state whenever it is asked.
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { proofSeed } from '../size.ts'
import { addressIn } from './loopback-addresses.ts'
import { createDraw } from './random.ts'
import type { SlowCallersOptions, SlowCallersState } from './slow-callers.ts'

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
