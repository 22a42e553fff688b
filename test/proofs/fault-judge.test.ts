import t from 'tap'
import type { CallRecord, LedgerRecord } from '../../proofs/faults/books.ts'
import {
  type Bounds,
  type JudgedBucket,
  judgeHonesty,
  judgeRetries,
  judgeWindows,
  strangerStream,
} from '../../proofs/faults/judge.ts'
import { emptyOutcome, type Outcome, violationsOfBooks } from '../../proofs/faults/outcome.ts'
import { faultTable, groupTable, promises, promiseTable } from '../../proofs/faults/table.ts'

const windows = { seconds: 2, offsetMs: 0 }
const bucket: JudgedBucket = {
  stream: 'short',
  applicationId: 'app',
  operation: 'xs2a@1.7.0 listAccounts',
  calls: 10,
  windows,
}
const { applicationId, operation } = bucket

/** One call a millisecond in the window from 2 s to 4 s, of which the first ten are admitted, and what the backend saw. */
function honestBooks(offered = 15): { calls: CallRecord[]; ledger: LedgerRecord[] } {
  const calls = Array.from({ length: offered }, (_, place): CallRecord => {
    const isAdmitted = place < 10
    return {
      stream: 'short',
      gateway: place % 4,
      requestId: `id-${place}`,
      begun: 3000 + place,
      ended: 3001 + place,
      status: isAdmitted ? 200 : 429,
      remaining: isAdmitted ? 9 - place : 0,
      retryAfter: isAdmitted ? undefined : 1,
      isAlone: false,
      code: '',
      isAgain: false,
    }
  })
  const ledger = calls.filter(({ status }) => status === 200).map(arrivalOf)
  return { calls, ledger }
}

function arrivalOf({ begun, gateway, requestId }: CallRecord): LedgerRecord {
  return { at: begun + 0.5, gateway, method: 'POST', applicationId, operation, requestId }
}

function violationsOf(
  { calls, ledger }: ReturnType<typeof honestBooks>,
  faulted: Bounds['faulted'] = undefined,
): string[] {
  return violationsOfBooks(
    judgeWindows([bucket], calls, ledger, { faulted, faultedMost: 17 }),
    judgeHonesty(calls, ledger),
    judgeRetries([bucket], calls),
    { healthy: 10, faulted: 17 },
  )
}

/** Honest books in which one call is another one. */
function booksWith(place: number, changes: Partial<CallRecord>, isInLedger: boolean) {
  const { calls } = honestBooks()
  const changed = calls.map((call, index) => (index === place ? { ...call, ...changes } : call))
  const ledger = changed.filter(({ status }, index) =>
    index === place ? isInLedger : status === 200,
  )
  return { calls: changed, ledger: ledger.map(arrivalOf) }
}

t.test('honest books are found to be so', async (t) => {
  t.same(violationsOf(honestBooks()), [])
})

t.test('each wrong that books can show is found', async (t) => {
  const admitted = { status: 200, retryAfter: undefined }
  const wrong: Record<string, ReturnType<typeof honestBooks>> = {
    '11 admitted in a healthy window of 10': booksWith(12, { ...admitted, remaining: -1 }, true),
    '1 counter values given twice': booksWith(3, { remaining: 5 }, true),
    '1 full healthy windows admitted too few': booksWith(3, { status: 429 }, false),
    '1 calls reached the backend uncounted': booksWith(12, {}, true),
    '1 answers 200 the backend does not know': booksWith(3, {}, false),
    '1 answers 5xx': booksWith(12, { status: 502 }, false),
    '1 calls without an answer': booksWith(12, { status: 0 }, false),
    '1 swapped 401': booksWith(12, { status: 401 }, false),
    '1 Retry-After too early': booksWith(12, { begun: 2500, ended: 2501 }, false),
    '1 Retry-After too late': booksWith(12, { retryAfter: 3 }, false),
    '1 refused after Retry-After': booksWith(0, { status: 429, isAgain: true }, false),
  }
  for (const [violation, books] of Object.entries(wrong)) {
    t.ok(violationsOf(books).includes(violation), violation, { found: violationsOf(books) })
  }
  const { calls, ledger } = honestBooks()
  const twice = { calls, ledger: [...ledger, ...ledger.slice(0, 1)] }
  t.ok(violationsOf(twice).includes('1 requests sent twice'))
  const { swaps } = judgeHonesty(
    calls.map((call) => ({ ...call, stream: strangerStream })),
    [],
  )
  t.equal(swaps, 15, 'a stranger that gets anything but 401')
})

t.test(
  'a call that began before a window and was admitted in it has used it up for callers that obey',
  async (t) => {
    const { calls } = booksWith(0, { status: 429, retryAfter: 1, isAgain: true }, false)
    const early = (begun: number, ended: number) =>
      [1, 2].map((place) => ({
        stream: 'short',
        gateway: 0,
        requestId: `early-${begun}-${place}`,
        begun,
        ended,
        status: 200,
        remaining: undefined,
        retryAfter: undefined,
        isAlone: true,
        code: '',
        isAgain: false,
      }))
    const found = (others: CallRecord[]) =>
      judgeRetries([bucket], [...calls, ...others]).againRefused
    t.equal(found(early(1990, 2010)), 0)
    t.equal(found(early(1980, 1999)), 1, 'not one that had ended')
  },
)

t.test('what no caller logged counts as well', async (t) => {
  const { calls, ledger } = honestBooks()
  const [first] = ledger
  if (first === undefined) throw new Error('no call')
  const more = Array.from({ length: 3 }, (_, at) => ({ ...first, requestId: `planted-${at}` }))
  const found = violationsOf({ calls, ledger: [...ledger, ...more] })
  t.ok(found.includes('13 admitted in a healthy window of 10'))
  t.ok(found.includes('3 calls reached the backend uncounted'))
})

t.test(
  'a call that a killed gateway forwarded, but could not answer, is not one uncounted',
  async (t) => {
    const { calls, ledger } = booksWith(6, { status: 0, remaining: undefined }, true)
    t.equal(calls[6]?.gateway, 2)
    const killed = judgeHonesty(calls, ledger, { killed: [2] })
    t.match(killed, { uncounted: 0, unanswered: 0 })
    t.match(judgeHonesty(calls, ledger, { killed: [1] }), { uncounted: 0, unanswered: 1 })
  },
)

t.test('a faulted window has its own bound', async (t) => {
  const { calls } = honestBooks(18)
  const all = calls.map((call) => ({ ...call, status: 200, retryAfter: undefined, isAlone: true }))
  const found = violationsOf({ calls: all, ledger: all.map(arrivalOf) }, { from: 2500, to: 3500 })
  t.ok(found.includes('18 admitted in a faulted window, more than 17'))
})

t.test('an experiment that shows nothing is not passed', async (t) => {
  t.match(violationsOf({ calls: [], ledger: [] }), [/no healthy window/])
  const { calls, ledger } = honestBooks()
  const alone = calls.map((call) => ({ ...call, isAlone: true }))
  t.match(
    violationsOf({ calls: alone, ledger }),
    [/no healthy window/],
    'the store decided nothing',
  )
})

/** An outcome in which everything happened, as promised. */
function goodOutcome(): Outcome {
  const empty = emptyOutcome('R5', 'failover')
  const times = Array.from({ length: 100 }, () => 5)
  return {
    ...empty,
    calls: 200,
    backMs: 900,
    lost: 3,
    windows: { ...empty.windows, healthy: 8, full: 7, faulted: 2, mostHealthy: 100 },
    honesty: { ...empty.honesty, posts: 10, strangers: 10 },
    retries: { ...empty.retries, checked: 10, again: 10 },
    latency: { ...empty.latency, healthy: times, first: times, open: times, slowest: 5 },
  }
}

function notKept(outcome: Outcome): string[] {
  return promises([outcome]).flatMap(({ what, isKept }) => (isKept === true ? [] : [what]))
}

t.test('a promise over nothing is not judged, and does not hold', async (t) => {
  t.same(notKept(goodOutcome()), [])
  const nothing = promises([emptyOutcome('R1', 'nothing')])
  t.same(
    nothing.filter(({ isKept }) => isKept !== undefined),
    [],
  )
  t.notMatch(promiseTable(nothing), 'holds')
  const { windows, retries, latency } = goodOutcome()
  for (const [changed, what] of [
    [{ lost: undefined }, /around a failover/],
    [{ backMs: undefined }, /until all gateways count/],
    [{ windows: { ...windows, full: 0 } }, /per healthy window/],
    [{ windows: { ...windows, faulted: 0 } }, /faulted or slow/],
    [{ retries: { ...retries, again: 0 } }, /refused although/],
    [{ latency: { ...latency, open: [] } }, /until the fault ends/],
  ] as const) {
    t.match(notKept({ ...goodOutcome(), ...changed }), [what])
  }
})

t.test('a broken promise is not one without a verdict', async (t) => {
  const { honesty } = emptyOutcome('R1', 'one')
  const [broken, ...more] = promises([
    { ...emptyOutcome('R1', 'one'), honesty: { ...honesty, unanswered: 1 } },
  ]).filter(({ isKept }) => isKept === false)
  t.match(broken, { what: 'calls without an answer' })
  t.same(more, [])
})

t.test('an experiment that was not judged in everything does not simply hold', async (t) => {
  const outcome = { ...goodOutcome(), unjudged: ['a call took 400 ms'] }
  for (const table of [faultTable([outcome]), groupTable([goodOutcome(), outcome])]) {
    t.match(table, 'not judged: a call took 400 ms')
    t.notMatch(table, 'holds')
  }
})
