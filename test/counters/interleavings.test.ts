import { readFileSync } from 'node:fs'
import t from 'tap'

/**
 * What processes, servers and clocks do to each other that a counter must survive, and the tests that show it: file, and how
 * their titles go.
 */
const interleavings: readonly { what: string; tests: readonly (readonly [string, string])[] }[] = [
  {
    what: '(1) a rolling reload from an hour to a day: two window lengths alternate',
    tests: [['counters/redis-counter.test.ts', '(1) processes on different window lengths']],
  },
  {
    what: '(2) one refuses locally, the counters are lost, and a fresh one would be granted them again',
    tests: [
      ['../proofs/long/redis-outage.test.ts', '(2) after a flush a fresh process'],
      ['../proofs/long/redis-outage.test.ts', '(2) after a flush a running process'],
      ['../proofs/long/redis-outage.test.ts', '(2) counts climb back after Redis was killed'],
      ['../proofs/long/redis-outage.test.ts', '(2) after a restart that lost the last second'],
      ['../proofs/long/redis-sentinel.test.ts', 'what a killed primary had not handed on'],
      [
        '../proofs/long/redis-sentinel.test.ts',
        'comes back before it was a replica is not trusted',
      ],
      ['../proofs/long/redis-cluster.test.ts', '(2) after a flush of one node'],
      ['../proofs/long/redis-cluster.test.ts', '(2) a flush under an open connection'],
      [
        '../proofs/long/redis-cluster.test.ts',
        'a primary that is killed degrades its own slots only',
      ],
      ['../proofs/long/redis-cluster.test.ts', 'of a primary that died without a replica'],
      ['counters/counting-server.test.ts', 'when slots came without their counters'],
    ],
  },
  {
    what: '(3) the clock of a new primary is behind, the window goes back and forward again',
    tests: [
      ['counters/redis-counter.test.ts', '(3) a window that was seen is never left backwards'],
      ['../proofs/long/redis-sentinel.test.ts', '(3) a new primary whose clock is behind'],
    ],
  },
  {
    what: '(4) an operator resets while another process still sends its floor',
    tests: [
      ['counters/redis-counter.test.ts', '(4) after a reset, the floor of another process'],
      ['counters/redis-counter.test.ts', '(4) after forget, a process that refused locally'],
      ['counters/redis-counter.test.ts', '(4) a reply from before the reset'],
    ],
  },
  {
    what: '(5) a limit lowered below its count, or raised while a refusal is in flight',
    tests: [
      ['counters/counter.test.ts', '(5) a limit lowered below its count'],
      ['counters/counter.test.ts', '(5) a limit raised while its refusal'],
    ],
  },
  {
    what: '(6) our own loop stands still while replies are in the buffer',
    tests: [['../proofs/long/redis-outage.test.ts', '(6) replies that were there']],
  },
  {
    what: '(7) a pause with calls pending, which may have been granted',
    tests: [['../proofs/long/redis-outage.test.ts', '(7) calls pending in a pause']],
  },
  {
    what: '(8) as many processes again start, then the store goes away',
    tests: [
      ['../proofs/long/redis-outage.test.ts', '(8) shares of processes that come late'],
      ['../proofs/long/redis-outage.test.ts', '(8) more processes than the settings say'],
      ['counters/local-shares.test.ts', 'whatever becomes known in a window'],
    ],
  },
  {
    what: '(9) the store flaps ten times in a window',
    tests: [
      ['../proofs/long/redis-outage.test.ts', '(9) however often the store flaps'],
      ['../proofs/long/redis-outage.test.ts', '(9) a share shrinks to what is left'],
    ],
  },
  {
    what: '(10) a slot moves in the middle of a batch; a key of another type; READONLY for ever',
    tests: [
      ['counters/redis-counter.test.ts', '(10) one key of another type among 50'],
      ['../proofs/long/redis-cluster.test.ts', '(10) a batch in the middle of a moving slot'],
      [
        '../proofs/long/redis-cluster.test.ts',
        'a slot given to another node in the middle of calls',
      ],
      ['../proofs/long/redis-cluster.test.ts', 'the slot of the marker may move too'],
      ['../proofs/long/redis-cluster.test.ts', 'a new node that is given slots is used at once'],
      ['../proofs/long/redis-sentinel.test.ts', '(10) a demoted primary that answers READONLY'],
    ],
  },
  {
    what: '(11) of two limits on one call one is used up',
    tests: [
      ['counters/counter.test.ts', '(11) of two limits of which one is used up'],
      ['../proofs/long/redis-cluster.test.ts', 'two limits on one call, one bucket gone ahead'],
    ],
  },
  {
    what: '(12) ten thousand buckets touched while the store was away',
    tests: [['../proofs/long/redis-outage.test.ts', '(12) with 10,000 buckets touched']],
  },
  {
    what: '(13) scripts are forgotten between calls; a reply comes after its deadline',
    tests: [
      ['counters/redis-counter.test.ts', '(13) SCRIPT FLUSH between every call'],
      ['../proofs/long/redis-outage.test.ts', '(13) a reply after the deadline'],
      [
        'counters/counting-server.test.ts',
        'a reply that is late, from a node that lost its counters',
      ],
    ],
  },
  {
    what: '(14) two gateways without a store they share',
    tests: [['../proofs/long/counting-claim.test.ts', '(14) ']],
  },
  {
    what: '(15) a process is killed between grant and forwarding',
    tests: [['counters/redis-counter.test.ts', '(15) of a process killed with calls granted']],
  },
]

t.test('every interleaving is a test', async (t) => {
  t.equal(interleavings.length, 15)
  for (const [index, { what, tests }] of interleavings.entries()) {
    t.ok(what.startsWith(`(${index + 1}) `), what)
    for (const [file, title] of tests) {
      const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
      t.ok(text.includes(title), `${file}: ${title}`)
    }
  }
})
