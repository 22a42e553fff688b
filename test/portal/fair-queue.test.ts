import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createFairQueue, QueueFull, type Turn } from '../../src/portal/accounts/fair-queue.ts'

/** A queue with one worker whose work ends when the test says so. */
function rig(waitingMax = 64) {
  const queue = createFairQueue({ workers: 1, waitingMax })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const refused: string[] = []

  function add(name: string, lanes: readonly string[], isPreferred = false): void {
    const place: Turn = { lanes, isPreferred }
    const work = () =>
      new Promise<void>((end) => {
        begun.push(name)
        ends.push(end)
      })
    queue.run(place, work).catch((error: unknown) => {
      if (!(error instanceof QueueFull)) throw error
      refused.push(name)
    })
  }

  /** Ends the work in progress, piece by piece. */
  async function finish(pieces: number): Promise<void> {
    for (let piece = 0; piece < pieces; piece += 1) {
      await turn()
      ends.shift()?.()
      await turn()
    }
  }

  return { add, begun, finish, refused }
}

t.test('one request waits for one turn of a source that has sixty waiting', async (t) => {
  const { add, begun, finish } = rig()
  for (let at = 0; at < 60; at++) add(`attacker ${at}`, ['network a', 'account x'])
  await finish(3)
  add('victim', ['network b', 'account y'])
  await finish(2)
  t.ok(begun.slice(0, 6).includes('victim'), begun.join(', '))
})

t.test(
  'many networks on one account, and many accounts of one network, are one source',
  async (t) => {
    for (const lanesOf of [
      (at: number) => [`network ${at}`, 'account x'],
      (at: number) => ['network a', `account ${at}`],
    ]) {
      const { add, begun, finish } = rig()
      for (let at = 0; at < 40; at++) add(`attacker ${at}`, lanesOf(at))
      add('victim', ['network v', 'account v'])
      await finish(3)
      t.ok(begun.slice(0, 3).includes('victim'), begun.join(', '))
    }
  },
)

t.test('a full queue drops the latest of the busiest source, not the newcomer', async (t) => {
  const { add, begun, finish, refused } = rig(8)
  for (let at = 0; at < 20; at++) add(`attacker ${at}`, ['network a'])
  await turn()
  t.equal(refused.length, 11, 'one works, eight wait')
  add('victim', ['network b'])
  await turn()
  t.equal(refused.at(-1), 'attacker 8')
  await finish(3)
  t.ok(begun.includes('victim'))
})

t.test('every request has its turn, however many newcomers there are', async (t) => {
  const { add, begun, finish } = rig()
  for (let at = 0; at < 10; at++) add(`patient ${at}`, ['network a'])
  for (let at = 0; at < 100; at++) {
    add(`newcomer ${at}`, [`network ${at}`])
    await finish(1)
  }
  t.equal(begun.filter((name) => name.startsWith('patient')).length, 10, begun.join(', '))
})

t.test('a known browser goes before strangers of the same round', async (t) => {
  const { add, begun, finish } = rig()
  for (let at = 0; at < 30; at++) add(`stranger ${at}`, [`network ${at}`, `account ${at}`])
  add('owner', ['account y'], true)
  await finish(2)
  t.same(begun.slice(0, 2), ['stranger 0', 'owner'])
})

t.test('work that fails passes its place on', async (t) => {
  const queue = createFairQueue({ workers: 1, waitingMax: 1 })
  const place: Turn = { lanes: ['a'], isPreferred: false }
  const failing = queue.run(place, () => Promise.reject(new Error('no memory')))
  const next = queue.run(place, async () => 'done')
  await t.rejects(failing, /no memory/)
  t.equal(await next, 'done')
})
