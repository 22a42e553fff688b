import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { walkDocument } from '../../src/catalogue/documents/walk-document.ts'
import { isJsonArray } from '../../src/catalogue/json.ts'
import { fieldName } from '../../src/gateway/edge/request/field-names.ts'
import { refuseWeakPassword } from '../../src/portal/accounts/password-weakness.ts'
import { namesTwice } from '../../src/portal/api/names-twice.ts'
import { readableBody } from '../../src/portal-ui/calls/readable-body.ts'
import { testBank } from '../../test/support/bank.ts'
import { published } from '../../test/support/published.ts'
import { figure } from '../figure.ts'
import { processorMs } from '../support/processor-time.ts'

// What a stranger sends costs little memory and processor time.

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function heapUsed(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

t.test('names a stranger makes up take little memory, however long they are', async (t) => {
  const before = heapUsed()
  for (let count = 0; count < 900; count += 1) {
    // Through a buffer: one piece of memory, as the parser makes them.
    const name = Buffer.from(`X-${count}-${'a'.repeat(15_000)}`).toString('latin1')
    t.notOk(fieldName(name).isDropped)
  }
  const growth = heapUsed() - before
  t.ok(growth < 3_000_000, `${growth} octets`)
})

t.test('hostile bodies cost no more than their length', async (t) => {
  const hostile = [
    `"${'\\\\'.repeat(32_000)}"`,
    `["${'\\"'.repeat(30_000)}"]`,
    `[${'"",'.repeat(20_000)}""]`,
  ]
  for (const text of hostile) {
    t.ok(processorMs(() => namesTwice(text, JSON.parse(text))) < 100)
  }
})

t.test('a body made to hold up the page does not', async (t) => {
  const body = `${'['.repeat(400_000)}${']'.repeat(400_000)}`
  const tookMs = processorMs(() => {
    const { text, cutAt } = readableBody({ mediaType: 'application/json', body })
    t.ok(text.length < 30_000, `${text.length} characters, cut at ${cutAt}`)
  })
  t.ok(tookMs < 1000, `${tookMs} ms`)
})

t.test('a body made of faults costs no more than a good one', async (t) => {
  const bank = await testBank(t)
  const from = process.cpuUsage()
  const { status } = await bank.call({
    operation: 'createConsent',
    body: {
      access: { accounts: Array.from({ length: 200_000 }, () => ({})) },
      recurringIndicator: true,
      validUntil: '9999-12-31',
      frequencyPerDay: 4,
      combinedServiceIndicator: false,
    },
  })
  const { user, system } = process.cpuUsage(from)
  t.equal(status, 400)
  // All of its faults would take minutes.
  t.ok(user + system < 20_000_000, `${user + system} µs`)
})

const owner = { email: 'anna.example@acmebank.test', name: 'Anna Example' }
const portalUrl = 'https://developer.riverbank.example'

t.test('the word lists are not in the thread that answers requests', async (t) => {
  const before = heapUsed()
  await refuseWeakPassword('quiet lamp under nine oaks', owner, portalUrl)
  const growth = heapUsed() - before
  t.ok(growth < 10_000_000, `${growth} octets of 30 MB`)
})

t.test('the longest password costs the processor no more than a short one', async (t) => {
  await t.rejects(refuseWeakPassword('aaaaaaaaaaaaaaaa', owner, portalUrl))
  for (const piece of ['4@', 'p@55w0rd', '@$!0135@$!7', 'abcdefgh1']) {
    const password = piece.repeat(256).slice(0, 256)
    // Threads that compile and collect count, too, but not every time.
    const tookMs: number[] = []
    for (let time = 0; time < 5; time += 1) {
      const from = process.cpuUsage()
      await refuseWeakPassword(password, owner, portalUrl).catch(() => undefined)
      const { user, system } = process.cpuUsage(from)
      tookMs.push((user + system) / 1000)
    }
    figure(`${piece}: ${tookMs} ms`)
    t.ok(Math.min(...tookMs) < 300, `${piece}: ${tookMs} ms`)
  }
})

t.test('no pattern takes long over a text that almost fits', async (t) => {
  const patterns = new Map<string, Set<string>>()
  for (const { document } of [
    published('xs2a', '1.7.0'),
    published('mandate', '1.0.0'),
    published('xs2a', '1.6.0'),
  ]) {
    for (const { kind, value } of walkDocument(document)) {
      const { pattern, examples } = value
      if (kind !== 'schema' || typeof pattern !== 'string') continue
      const seeds = patterns.get(pattern) ?? new Set(['', '0', 'a', 'A'])
      for (const example of isJsonArray(examples) ? examples : []) seeds.add(String(example))
      patterns.set(pattern, seeds)
    }
  }
  t.ok(patterns.size > 30)
  for (const [pattern, seeds] of patterns) {
    const slow = slowText(new RegExp(pattern, 'u'), [...seeds])
    t.equal(slow, undefined, pattern)
  }
})

/** A text, made of the beginning of a seed and many equal characters, that takes more than 200 ms to refuse. */
function slowText(pattern: RegExp, seeds: readonly string[]): string | undefined {
  const fillings = new Set([...seeds.join(''), '0', 'a', 'A', ' ', '/', '.', '-'])
  for (const seed of seeds) {
    for (const length of [16, 20, 24, 28, 20_000]) {
      for (const filling of fillings) {
        for (let kept = 0; kept <= seed.length; kept++) {
          const text = `${seed.slice(0, kept)}${filling.repeat(length)}\u0000`
          if (processorMs(() => pattern.test(text)) > 200) return text.slice(0, 60)
        }
      }
    }
  }
  return undefined
}
