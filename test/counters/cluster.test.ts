import t from 'tap'
import {
  markerSlot,
  readClusterSlots,
} from '../../src/gateway/counters/redis/cluster/cluster-slots.ts'
import { hashSlot, tagOfSlot } from '../../src/gateway/counters/redis/cluster/hash-slot.ts'
import { redirectionOf } from '../../src/gateway/counters/redis/cluster/redirection.ts'

t.test('a key lies in the slot the cluster says', async (t) => {
  // By CLUSTER KEYSLOT of Redis 7.0.15.
  const slots: Record<string, number> = {
    '123456789': 12_739,
    'tollgate:{app}:xs2a:1.7.0:listAccounts:3600': 6805,
    '{app}': 6805,
    '{}app': 4127,
    'a{b}{c}': 3300,
    '{ü}': 9552,
    '': 0,
  }
  for (const [key, slot] of Object.entries(slots)) t.equal(hashSlot(key), slot, key)
  for (const slot of [0, 1, 12_739, 16_383]) t.equal(hashSlot(`x:{${tagOfSlot(slot)}}:y`), slot)
})

t.test('the answer of CLUSTER SLOTS is read, and no other', async (t) => {
  const asked = { host: 'asked', port: 1 }
  const answer = [
    [0, 5460, ['10.0.0.1', 7000, 'id', []], ['10.0.0.2', 7001, 'id', []]],
    [5461, 5461, ['', 7002, 'id']],
    [5462, 16_383, [null, 7003]],
  ]
  t.same(readClusterSlots(answer, asked), [
    { first: 0, last: 5460, primary: { host: '10.0.0.1', port: 7000 } },
    { first: 5461, last: 5461, primary: { host: 'asked', port: 7002 } },
    { first: 5462, last: 16_383, primary: { host: 'asked', port: 7003 } },
  ])
  for (const wrong of [
    '',
    undefined,
    [1],
    [[0, 16_384, ['h', 1]]],
    [[5, 4, ['h', 1]]],
    [[0, 1, 'h']],
  ]) {
    t.throws(() => readClusterSlots(wrong, asked), /CLUSTER SLOTS/)
  }
})

t.test('a node keeps its marker in one of its slots, the same for every process', async (t) => {
  const all = Array.from({ length: 16_384 }, (_, slot) => slot)
  t.equal(markerSlot([]), undefined)
  t.equal(markerSlot(all), 0)
  t.equal(markerSlot(all.toReversed()), 0)
  t.equal(markerSlot([7]), 7)
  // Of 1,000 slots given away, the lowest first, none held the marker.
  const node = all.slice(5461, 10_923)
  t.equal(markerSlot(node.slice(1000)), markerSlot(node))
})

t.test('what a node answers instead of doing it is understood', async (t) => {
  t.same(redirectionOf(new Error('MOVED 3999 127.0.0.1:6381')), {
    kind: 'moved',
    slot: 3999,
    to: { host: '127.0.0.1', port: 6381 },
  })
  t.same(redirectionOf(new Error('ASK 1 ::1:6381')), {
    kind: 'ask',
    slot: 1,
    to: { host: '::1', port: 6381 },
  })
  t.match(redirectionOf(new Error('MOVED 1 :6381')), { to: { host: '' } })
  t.same(redirectionOf(new Error('TRYAGAIN Multiple keys request during rehashing of slot')), {
    kind: 'apart',
  })
  t.equal(redirectionOf(new Error('CLUSTERDOWN Hash slot not served')), undefined)
})
