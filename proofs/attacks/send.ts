import type { Socket } from 'node:net'
import { openConnection } from '../../test/support/open-connection.ts'
import { createStrictReader, type StrictAnswer } from '../../test/support/strict-answers.ts'

/** What came back on one connection. */
export interface Received {
  readonly answers: readonly StrictAnswer[]
  /** Interim answers that no answer followed. */
  readonly interim: readonly number[]
  /** What no server may send; undefined if there was nothing of the kind. */
  readonly broken: string | undefined
  /** The last answer is not whole. */
  readonly isCut: boolean
  /** The connection did not end in time. */
  readonly isHung: boolean
}

/** Octets of the next write, of those that are left. */
export type Cut = (left: number) => number

/** Longer than any answer of ours takes, on a busy machine. */
const defaultPatienceMs = 8_000

export interface SendOptions {
  /** Origin; `https` takes any certificate. */
  readonly url: string
  /** One character each. */
  readonly octets: string
  /** Milliseconds without an octet in either direction after which the connection counts as hung. (Default: 8,000) */
  readonly patienceMs?: number | undefined
  /** (Default: all in one) */
  readonly cut?: Cut | undefined
}

/** Sends octets on a separate connection and reads until it ends. */
export function send({
  url,
  octets,
  cut,
  patienceMs = defaultPatienceMs,
}: SendOptions): Promise<Received> {
  return new Promise((resolve) => {
    const reader = createStrictReader((index) => index === 0 && octets.startsWith('HEAD '))
    const { socket } = openConnection(url)
    let broken: string | undefined
    let isHung = false
    let isQuiet = false
    // Twice: after a pause of this process, timers come before the octets that arrived meanwhile.
    const timer = setInterval(() => {
      isHung = isQuiet
      isQuiet = true
      if (isHung) socket.destroy()
    }, patienceMs / 2)
    const heard = (): void => {
      isQuiet = false
      timer.refresh()
    }
    socket.on('data', (chunk: Buffer) => {
      heard()
      try {
        if (broken === undefined) reader.read(chunk)
      } catch (error) {
        broken = String(error)
        socket.destroy()
      }
    })
    // A server may reset what it has refused.
    socket.on('error', () => socket.destroy())
    socket.on('end', () => socket.destroy())
    socket.on('close', () => {
      clearInterval(timer)
      const { answers, interim, isWithin } = reader
      resolve({ answers, interim, broken, isCut: isWithin && broken === undefined, isHung })
    })
    const bytes = Buffer.from(octets, 'latin1')
    if (cut === undefined) socket.write(bytes)
    else writeInPieces(socket, bytes, cut, heard)
  })
}

function writeInPieces(socket: Socket, bytes: Buffer, cut: Cut, heard: () => void): void {
  if (!socket.writable) return
  heard()
  const length = cut(bytes.length)
  socket.write(bytes.subarray(0, length), () => {
    if (bytes.length > length) {
      setImmediate(writeInPieces, socket, bytes.subarray(length), cut, heard)
    }
  })
}
