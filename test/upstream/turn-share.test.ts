import { createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { createPool, type Dispatched } from '../../src/gateway/upstream/pool.ts'
import { shortenTurn } from '../../src/gateway/upstream/turn-share.ts'
import type { OctetWriter } from '../../src/platform/http/octet-writer.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { until } from '../support/until.ts'
import { poolOptions } from './pool-options.ts'

const answers = 32
/** Octets of each answer. */
const length = 2_000_000
/** Octets of each answer in the kernel's buffers when the test resumes reading. */
const buffered = 262_144
const octetsARead = 65_536

/** Requests large answers and stops reading them; returns when a part of each is in the kernel's buffers. */
async function startLargeAnswers(t: Test) {
  const sockets: Socket[] = []
  let bufferedAnswers = 0
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`)
    socket.write(Buffer.alloc(buffered), () => {
      bufferedAnswers += 1
    })
    socket.write(Buffer.alloc(length - buffered))
  })
  const port = await listenOnLoopback(server)
  const pool = createPool(
    poolOptions({ url: `http://127.0.0.1:${port}`, connectionsMax: answers, monotonic: () => 0 }),
  )
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    await pool.close()
    server.close()
  })
  const dispatched: Dispatched[] = []
  /** Undefined while the test does not read. */
  let count: ((octets: number) => void) | undefined
  const received = Array.from({ length: answers }, (_, at) => {
    const { promise, resolve } = Promise.withResolvers<number>()
    let octets = 0
    const request = {
      writeHead: (into: OctetWriter) => into.text('GET / HTTP/1.1\r\nHost: bank.example\r\n\r\n'),
      body: undefined,
      isSafe: false,
      use: { connections: 0 },
    }
    dispatched[at] = pool.dispatch(request, {
      onHead: () => undefined,
      onBody(piece) {
        octets += piece.length
        if (count !== undefined) {
          count(piece.length)
          // Like a client whose kernel accepts everything at once: it is full, and no longer full in the same turn.
          process.nextTick(() => dispatched[at]?.resume())
        }
        return false
      },
      onEnd: () => resolve(octets),
      onError: () => resolve(-1),
    })
    return promise
  })
  await until('the kernel has a part of each', () => bufferedAnswers === answers)
  return {
    /**
     * Reads the rest of all answers.
     *
     * @param onOctets called with the octets of each read
     * @returns the octets of each answer
     */
    async read(onOctets: (octets: number) => void): Promise<number[]> {
      count = onOctets
      for (const each of dispatched) each.resume()
      return await Promise.all(received)
    },
  }
}

/**
 * Counts octets in each turn of the event loop.
 *
 * @param eachTurn called now and at the end of each turn
 */
function countTurns(eachTurn: () => void) {
  const turns: number[] = []
  let octetsOfTurn = 0
  const endTurn = (): void => {
    turns.push(octetsOfTurn)
    octetsOfTurn = 0
    eachTurn()
    next = setImmediate(endTurn)
  }
  eachTurn()
  let next = setImmediate(endTurn)
  return {
    add(octets: number): void {
      octetsOfTurn += octets
    },
    /** Stops counting and returns the octets of each turn. */
    stop(): readonly number[] {
      clearImmediate(next)
      return turns
    },
  }
}

/**
 * Reads large answers whose beginnings wait in the kernel.
 *
 * @param eachTurn called at the end of each turn of the event loop
 * @returns the median of the octets that arrived in each turn. A connection whose answer had not come yet reads once more
 * than its share.
 */
async function medianOctetsPerTurn(t: Test, eachTurn = (): void => undefined): Promise<number> {
  const large = await startLargeAnswers(t)
  const turns = countTurns(eachTurn)
  t.same(await large.read(turns.add), Array(answers).fill(length), 'each whole')
  const octets = turns.stop()
  return octets.toSorted((a, b) => a - b)[Math.floor(octets.length / 2)] ?? Number.NaN
}

t.test("large answers in the kernel's buffers share each turn of the event loop", async (t) => {
  const octets = await medianOctetsPerTurn(t)
  // Half a megabyte, plus one read of each connection that may go on: eight that waited and eight that had not used up
  // the turn before.
  t.ok(octets <= 524_288 + 16 * octetsARead, `${octets} octets`)
})

t.test(
  'while one client connects per turn, a turn takes at most two reads of large answers',
  async (t) => {
    const octets = await medianOctetsPerTurn(t, shortenTurn)
    t.ok(octets <= 2 * octetsARead, `${octets} octets`)
  },
)
