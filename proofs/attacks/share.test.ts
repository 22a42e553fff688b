import t, { type Test } from 'tap'
import { createDraw } from '../../test/support/random.ts'
import { figure } from '../figure.ts'
import { proofSeed, proofSize } from '../size.ts'
import { getsMost, measureCosts } from './cost.ts'
import { atRandom } from './cuts.ts'
import type { Input } from './message.ts'
import { peersMissing } from './peers.ts'
import { plantedFaults } from './planted.ts'
import {
  type AttackOptions,
  attackGateway,
  attackPeers,
  inPieces,
  inputsOf,
  shareForPlanted,
} from './suite.ts'
import { costsTable, leniencyTable, mostLenient } from './table.ts'

// A short part of npm run prove -- attacks: here each attack meets one operation, and a few faults are planted.

const seed = proofSeed()
const timeout = 300_000

async function attack(t: Test, inputs: readonly Input[], options?: AttackOptions) {
  const { findings } = await attackGateway(inputs, options)
  figure(`${inputs.length} inputs`)
  for (const [name, texts] of Object.entries(findings)) {
    t.same(texts.slice(0, 3), [], `${texts.length} ${name}`)
  }
}

t.test('no hostile input gets past the gateway or out of step', { timeout }, async (t) => {
  await attack(t, await inputsOf(1))
})

t.test(`nor in random pieces over TLS (SEED=${seed})`, { timeout }, async (t) => {
  const inputs = inPieces(await shareForPlanted())
  await attack(t, inputs, { isSecure: true, cut: atRandom(createDraw(seed)) })
})

t.test(
  'nowhere is the gateway the most lenient beside nginx and HAProxy',
  { timeout, skip: peersMissing() ?? false },
  async (t) => {
    const inputs = await shareForPlanted()
    const { leniency } = await attackGateway(inputs)
    const programs = new Map([['Tollgate', leniency], ...(await attackPeers(inputs))])
    t.same(mostLenient(programs), [], leniencyTable(programs))
  },
)

t.test(`no hostile input costs more than ${getsMost} plain GETs`, { timeout }, async (t) => {
  const costs = await measureCosts(await shareForPlanted())
  const tooDear = costs.dearest.filter(({ microseconds }) => microseconds > getsMost * costs.get)
  t.same(tooDear, [], costsTable(costs))
})

t.test(`planted faults are found (SEED=${seed})`, { timeout }, async (t) => {
  const inputs = await shareForPlanted()
  const first = createDraw(seed)(plantedFaults.length)
  const drawn = [...plantedFaults, ...plantedFaults].slice(
    first,
    first + proofSize({ share: 1, whole: 3 }),
  )
  for (const { name, foundIn } of drawn) {
    const { findings } = await attackGateway(inputs, { planted: name })
    t.ok(findings[foundIn].length > 0, `${name}: ${findings[foundIn].length} ${foundIn}`)
  }
})
