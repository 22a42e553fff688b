import t from 'tap'
import type {
  ClusterNode,
  ClusterNodes,
} from '../../src/gateway/counters/redis/cluster/cluster-nodes.ts'
import { createSlotOwners } from '../../src/gateway/counters/redis/cluster/slot-owners.ts'
import type { SlotMap } from '../../src/gateway/counters/redis/cluster/slot-source.ts'
import type { RedisHost } from '../../src/platform/redis/redis-address.ts'

function unused(): never {
  throw new Error('not for who owns slots')
}

/** A node that counts, is connected to, and remembers what it was told. */
function fakeNode(host: RedisHost) {
  const told = { lost: 0, inherited: 0, isReady: true, decidesCalls: true }
  const node: ClusterNode = {
    send: unused,
    host,
    slots: 0,
    marker: undefined,
    isComplete: false,
    since: 0,
    usedAt: 0,
    server: {
      decidesCalls: () => told.decidesCalls,
      connection: {
        isReady: () => told.isReady,
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
          told.lost += 1
        },
        inherited() {
          told.inherited += 1
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
  return { node, told }
}

/** Nodes by port, and who has which of the slots from 0 to 99, told by `learn`: `[0, 49, 1]` are the first fifty, of node 1. */
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
    /** How often each node had to hear that it got slots without their counters. */
    losses: () => [...fakes].map(([port, { told }]) => `${port}: ${told.lost}`),
  }
}

const halves = [
  [0, 49, 1],
  [50, 99, 2],
] as const

t.test('a slot that moves between nodes that live loses nothing', async (t) => {
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

t.test(
  'a node that gets slots of one that has none any more has lost their counters',
  async (t) => {
    const { learn, losses } = startOwners()
    await learn(halves)
    await learn([[0, 99, 2]])
    t.same(losses(), ['1: 0', '2: 1'])
    await learn([[0, 99, 2]])
    t.same(losses(), ['1: 0', '2: 1'], 'once')
  },
)

t.test('so has one that gets them after a while in which nobody had them', async (t) => {
  const { learn, losses } = startOwners()
  await learn(halves)
  await learn([[50, 99, 2]])
  t.same(losses(), ['1: 0', '2: 0'])
  await learn([[0, 99, 2]])
  t.same(losses(), ['1: 0', '2: 1'])
})

t.test('and one to which a call was redirected before the map told of it', async (t) => {
  const { owners, at, learn, losses } = startOwners()
  await learn([
    [0, 0, 1],
    [1, 99, 2],
  ])
  owners.redirect(0, at(2).node)
  await learn([[0, 99, 2]])
  t.same(losses(), ['1: 0', '2: 1'])
})

t.test('slots of a dead node that are given away bit by bit are lost bit by bit', async (t) => {
  const { at, learn, losses } = startOwners()
  await learn(halves)
  at(1).told.isReady = false
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
})

t.test(
  'a node that lives for the cluster moves its slots whole, also when this process cannot reach it',
  async (t) => {
    const { at, learn, losses } = startOwners()
    await learn(halves)
    at(1).told.isReady = false
    await learn([
      [0, 39, 1],
      [40, 99, 2],
    ])
    t.same(losses(), ['1: 0', '2: 0'])
  },
)

t.test('another dead node does not cast doubt on one that can be reached', async (t) => {
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

t.test('a replica that takes over concerns no other node', async (t) => {
  const { at, learn, losses } = startOwners()
  await learn(halves)
  at(3).told.decidesCalls = false
  await learn([
    [0, 49, 3],
    [50, 99, 2],
  ])
  t.equal(at(3).node.isComplete, false, 'its marker is of another run, and says so')
  t.equal(at(3).told.inherited, 1, 'this process waits for those that it has not met')
  t.same(losses(), ['1: 0', '2: 0', '3: 0'])
})

t.test('a node of which one view knew nothing is not taken for another', async (t) => {
  const { learn, losses } = startOwners()
  await learn(halves)
  await learn([[50, 99, 2]])
  await learn(halves)
  t.same(losses(), ['1: 0', '2: 0'])
})
