import t from 'tap'
import type {
  ClusterNode,
  ClusterNodes,
} from '../../src/gateway/counters/redis/cluster/cluster-nodes.ts'
import { createSlotOwners } from '../../src/gateway/counters/redis/cluster/slot-owners.ts'
import type { SlotMap } from '../../src/gateway/counters/redis/cluster/slot-source.ts'
import type { RedisHost } from '../../src/platform/redis/redis-address.ts'

function unused(): never {
  throw new Error('slot owners do not use this')
}

/** A connected node that decides calls and records its notifications. */
function fakeNode(host: RedisHost) {
  const state = { lost: 0, inherited: 0, isReady: true, decidesCalls: true }
  const node: ClusterNode = {
    send: unused,
    host,
    slots: 0,
    marker: undefined,
    isComplete: false,
    since: 0,
    usedAt: 0,
    server: {
      decidesCalls: () => state.decidesCalls,
      connection: {
        isReady: () => state.isReady,
        run: unused,
        read: unused,
        ask: unused,
        get: unused,
        info: unused,
        command: unused,
        reconnect: unused,
        close: unused,
      },
      clock: { learn: unused, now: unused, latest: unused, hasReplied: unused },
      mode: {
        lost() {
          state.lost += 1
        },
        inherited() {
          state.inherited += 1
        },
        tryNow: () => undefined,
        observeMarker: unused,
        place: unused,
        beat: unused,
      },
      send: unused,
      failed: unused,
      close: unused,
    },
  }
  return { node, state }
}

/**
 * Nodes by port, and the owners of slots 0 to 99. `learn` sets the slot map: `[0, 49, 1]` gives the first fifty slots to
 * node 1.
 */
function startOwners() {
  const fakes = new Map<number, ReturnType<typeof fakeNode>>()
  const nodes: ClusterNodes = {
    all: () => [...fakes.values()].map(({ node }) => node),
    at: (host) => at(host.port).node,
    find: unused,
    drop: () => undefined,
    close: unused,
  }
  function at(port: number) {
    const known = fakes.get(port)
    if (known !== undefined) return known
    const fake = fakeNode({ host: 'node', port })
    fakes.set(port, fake)
    return fake
  }
  let map: SlotMap = { ranges: [], isWhole: true }
  const owners = createSlotOwners({
    nodes,
    source: { ask: async () => map, close: unused },
    monotonic: () => 0,
    onUnknown: unused,
  })
  return {
    owners,
    at,
    async learn(ranges: readonly (readonly [number, number, number])[], isWhole = true) {
      map = {
        ranges: ranges.map(([first, last, port]) => ({
          first,
          last,
          primary: { host: 'node', port },
        })),
        isWhole,
      }
      await owners.refresh()
    },
    /** How often each node was notified that it got slots without their counters. */
    losses: () => [...fakes].map(([port, { state }]) => `${port}: ${state.lost}`),
  }
}

const halves = [
  [0, 49, 1],
  [50, 99, 2],
] as const

t.test('a slot that moves between live nodes loses no counters', async (t) => {
  const { owners, at, learn, losses } = startOwners()
  await learn(halves)
  await learn([
    [0, 39, 1],
    [40, 49, 3],
    [50, 99, 2],
  ])
  t.equal(at(3).node.isComplete, true, 'to a new node')
  owners.welcome(at(3).node)
  await learn([
    [0, 29, 1],
    [30, 49, 3],
    [50, 99, 2],
  ])
  t.same(losses(), ['1: 0', '2: 0', '3: 0'])
})

t.test('slots of a node that has no slots left lose their counters', async (t) => {
  const { learn, losses } = startOwners()
  await learn(halves)
  await learn([[0, 99, 2]])
  t.same(losses(), ['1: 0', '2: 1'])
  await learn([[0, 99, 2]])
  t.same(losses(), ['1: 0', '2: 1'], 'once')
})

t.test('slots that had no owner for a while have lost their counters', async (t) => {
  const { learn, losses } = startOwners()
  await learn(halves)
  await learn([[50, 99, 2]])
  t.same(losses(), ['1: 0', '2: 0'])
  await learn([[0, 99, 2]])
  t.same(losses(), ['1: 0', '2: 1'])
})

t.test('slots lose their counters even if a redirect came before the new map', async (t) => {
  const { owners, at, learn, losses } = startOwners()
  await learn([
    [0, 0, 1],
    [1, 99, 2],
  ])
  owners.redirect(0, at(2).node)
  await learn([[0, 99, 2]])
  t.same(losses(), ['1: 0', '2: 1'])
})

t.test(
  'slots of a dead node that are reassigned in steps lose their counters in steps',
  async (t) => {
    const { at, learn, losses } = startOwners()
    await learn(halves)
    at(1).state.isReady = false
    for (const last of [10, 20]) {
      await learn(
        [
          [0, last, 2],
          [last + 1, 49, 1],
          [50, 99, 2],
        ],
        false,
      )
    }
    t.same(losses(), ['1: 0', '2: 2'])
  },
)

t.test(
  'a node that is alive for the cluster moves slots with their counters, even if this process cannot reach it',
  async (t) => {
    const { at, learn, losses } = startOwners()
    await learn(halves)
    at(1).state.isReady = false
    await learn([
      [0, 39, 1],
      [40, 99, 2],
    ])
    t.same(losses(), ['1: 0', '2: 0'])
  },
)

t.test('a dead node does not affect the slots of a reachable node', async (t) => {
  const { learn, losses } = startOwners()
  await learn(halves)
  await learn(
    [
      [0, 39, 1],
      [40, 99, 2],
    ],
    false,
  )
  t.same(losses(), ['1: 0', '2: 0'])
})

t.test('a failover to a replica affects no other node', async (t) => {
  const { at, learn, losses } = startOwners()
  await learn(halves)
  at(3).state.decidesCalls = false
  await learn([
    [0, 49, 3],
    [50, 99, 2],
  ])
  t.equal(at(3).node.isComplete, false, 'its marker shows that it is another run')
  t.equal(at(3).state.inherited, 1, 'this process waits for processes that it has not seen')
  t.same(losses(), ['1: 0', '2: 0', '3: 0'])
})

t.test('a node that one map omits returns without a loss', async (t) => {
  const { learn, losses } = startOwners()
  await learn(halves)
  await learn([[50, 99, 2]])
  await learn(halves)
  t.same(losses(), ['1: 0', '2: 0'])
})
