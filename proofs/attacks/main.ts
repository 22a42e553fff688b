import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createDraw } from '../../test/support/random.ts'
import { figure } from '../figure.ts'
import { exchangeInStep, type InStep } from '../support/in-step.ts'
import { getsMost, measureCosts } from './cost.ts'
import { atRandom, octetByOctet } from './cuts.ts'
import { peersMissing } from './peers.ts'
import { plantedFaults } from './planted.ts'
import type { DescribeWait } from './run-corpus.ts'
import {
  type AttackOptions,
  attackGateway,
  attackPeers,
  type CorpusResult,
  inPieces,
  inputsOf,
  shareForPlanted,
  within,
} from './suite.ts'
import { costsTable, exchangesTable, findingsTable, leniencyTable, mostLenient } from './table.ts'

// A program: attacks our gateway with the whole corpus, over TCP and TLS, whole and in pieces, with random exchanges and
// as nginx and HAProxy are attacked; then gateways with planted faults; and prints what it found. --seed <number> draws
// the same again. --write puts the tables into docs/evidence/attacks.md.
const { values } = parseArgs({
  options: { write: { type: 'boolean' }, seed: { type: 'string' } },
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32))
const begunAt = performance.now()
const secondsSince = (at: number): number => Math.round((performance.now() - at) / 1_000)
let isGood = true

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Prints what must not happen. The run has failed then. */
function bad(what: string): void {
  isGood = false
  print(`FAILED: ${what}`)
}

/** Runs one part of the program. If it takes too long, the program prints what it waited for, and ends. */
async function part<Value>(
  name: string,
  secondsMax: number,
  work: (describeWait: DescribeWait) => Promise<Value>,
): Promise<Value> {
  const at = performance.now()
  let waitsFor = (): string => 'its start'
  const timer = setTimeout(() => {
    print(`FAILED: ${name} takes longer than ${secondsMax} s; it waits for ${waitsFor()}`)
    process.exit(1)
  }, secondsMax * 1_000)
  const value = await work((next) => {
    waitsFor = next
  })
  clearTimeout(timer)
  print(`${name}: ${secondsSince(at)} s`)
  return value
}

print(`seed ${seed}`)
const inputs = await inputsOf()
const once = await inputsOf(1)
const runs = new Map<string, CorpusResult>()
const corpusRuns: readonly (readonly [string, typeof inputs, AttackOptions])[] = [
  ['TCP', inputs, {}],
  ['TLS', inputs, { isSecure: true }],
  ['TCP, octet by octet', inPieces(once), { cut: octetByOctet }],
  ['TCP, random pieces', inPieces(once), { cut: atRandom(createDraw(seed)) }],
  ['TLS, random pieces', inPieces(once), { isSecure: true, cut: atRandom(createDraw(seed + 1)) }],
]
for (const [name, which, options] of corpusRuns) {
  const run = await part(name, 600, (describeWait) =>
    attackGateway(which, { ...options, describeWait }),
  )
  runs.set(name, run)
  for (const [finding, texts] of Object.entries(run.findings)) {
    for (const text of texts.slice(0, 5)) bad(`${name}, ${finding}: ${text}`)
  }
}
const figures = findingsTable(runs)
print(`\n${figures}\n`)

const exchanges = new Map<string, InStep>()
for (const name of ['TCP', 'TLS']) {
  const options = { wanted: 20_000, seed, isSecure: name === 'TLS' }
  const made = await part(`random exchanges, ${name}`, 300, (describeWait) => {
    describeWait(() => 'exchanges to end')
    return within((t) => exchangeInStep(t, options))
  })
  exchanges.set(name, made)
  for (const [fault, texts] of Object.entries(made.faults)) {
    for (const text of texts.slice(0, 5)) bad(`random exchanges, ${name}, ${fault}: ${text}`)
  }
}
const inStep = exchangesTable(exchanges)
print(`\n${inStep}\n`)

const costs = await part('cost', 300, (describeWait) => measureCosts(once, describeWait))
const dear = costsTable(costs)
print(`\n${dear}\n`)
for (const { input, microseconds } of costs.dearest) {
  if (microseconds > getsMost * costs.get)
    bad(`costs more than ${getsMost} GETs: ${input.attack.why}`)
}

const missing = peersMissing()
const own = runs.get('TCP')
const programs = new Map<string, CorpusResult['leniency']>()
if (own !== undefined) programs.set('Tollgate', own.leniency)
if (missing === undefined) {
  const peers = await part('nginx and HAProxy', 900, (describeWait) =>
    attackPeers(inputs, describeWait),
  )
  for (const [name, leniency] of peers) programs.set(name, leniency)
  for (const kind of mostLenient(programs)) bad(`Tollgate is the most lenient: ${kind}`)
} else bad(`not compared with nginx and HAProxy: ${missing}`)
const comparison = leniencyTable(programs)
print(`\n${comparison}\n`)

const share = await shareForPlanted()
const found: string[] = []
for (const { name, foundIn } of plantedFaults) {
  const planted = await part(name, 120, (describeWait) =>
    attackGateway(share, { planted: name, describeWait }),
  )
  const count = planted.findings[foundIn].length
  if (count === 0) bad(`not found: ${name}`)
  else found.push(`${name}: ${count} ${foundIn}`)
}
print(`\n${found.join('\n')}`)
const sent = [...runs.values()].reduce((sum, { inputs }) => sum + inputs, 0)
figure(`${sent} inputs, ${found.length} planted faults`)

if (values.write === true) {
  const page = fileURLToPath(new URL('../../docs/evidence/attacks.md', import.meta.url))
  const measured = [
    '<!-- measured -->',
    `${new Date().toISOString().slice(0, 10)}, ${secondsSince(begunAt)} s, ${availableParallelism()} cores, seed ${seed}`,
    figures,
    inStep,
    comparison,
    dear,
    `${found.length} of ${plantedFaults.length} planted faults were found.`,
    '<!-- /measured -->',
  ].join('\n\n')
  const text = readFileSync(page, 'utf8')
  writeFileSync(
    page,
    text.replace(/<!-- measured -->.*<!-- \/measured -->/s, () => measured),
  )
}
print(`\n${secondsSince(begunAt)} s`)
// A connection that hangs must not keep the process alive.
process.exit(isGood ? 0 : 1)
