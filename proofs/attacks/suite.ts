import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import { createScope, type Scope } from '../faults/scope.ts'
import type { Kind } from './attack.ts'
import { type Leniency, leniencyOf } from './compare.ts'
import { crossed } from './corpus.ts'
import { startAttackedGateway } from './gateway.ts'
import { type Findings, judge, outcomesOf } from './judge.ts'
import { type Input, messageOf } from './message.ts'
import { attackedOperations, createNames } from './operations.ts'
import { attackedCatalogue } from './own-apis.ts'
import { type Peer, startPeers } from './peers.ts'
import { startRecorder } from './recorder.ts'
import { type DescribeWait, runCorpus } from './run-corpus.ts'
import type { Cut } from './send.ts'

/** What the corpus found in our gateway. */
export interface CorpusResult {
  readonly inputs: number
  readonly findings: Findings
  readonly leniency: ReadonlyMap<Kind, Leniency>
}

export interface AttackOptions {
  /** See `planted.ts`. */
  readonly planted?: string
  /** Whether the inputs come over TLS. (Default: false) */
  readonly isSecure?: boolean
  /** How the inputs are cut into writes; then they come from {@link inPieces}. (Default: all in one) */
  readonly cut?: Cut
  readonly describeWait?: DescribeWait
}

/** The inputs of a run. @param most operations for each attack; see {@link crossed} */
export function inputsOf(most?: number): Promise<Input[]> {
  return within(async (_t, catalogue) => crossed(attackedOperations(catalogue), most))
}

/**
 * Enough to find every planted fault: each attack once, without the sweeps over
 * all octets, and the answers after an answer on every operation, since only a
 * call that takes the same connection at once meets them.
 */
export async function shareForPlanted(): Promise<Input[]> {
  const once = (await inputsOf(1)).filter(({ attack }) => !/: [0-9a-f]{2}$/.test(attack.why))
  const behind = (await inputsOf()).filter(({ attack }) => attack.answer?.startsWith('behind'))
  return [...once, ...behind].map((input, index) => ({ ...input, number: index + 1 }))
}

/** The longest input that is sent in pieces, in octets. */
const inPiecesMax = 4_000

/**
 * The inputs that can be cut: without large ones, without hostile answers, and
 * without those that must come faster than an answer. Any refusal will do,
 * since the code depends on what the parser has at hand.
 */
export function inPieces(inputs: readonly Input[]): Input[] {
  return inputs
    .filter((input) => messageOf(input).length <= inPiecesMax && !isRace(input))
    .map((input) => {
      const outcomes = outcomesOf(input).map((one) => (/^\d/.test(one) ? 'refused' : one))
      return { ...input, attack: { ...input.attack, expected: outcomes } }
    })
}

/** Whether the outcome depends on octets that arrive before an answer has left. */
function isRace({ attack }: Input): boolean {
  const { kind, raw, mustClose, expected } = attack
  return (
    kind === 'answer' ||
    raw?.includes('{slow}') === true ||
    (mustClose === true && expected === 'forwarded')
  )
}

/** Sends the inputs to a separate gateway, and judges. */
export function attackGateway(
  inputs: readonly Input[],
  { planted, isSecure, cut, describeWait }: AttackOptions = {},
): Promise<CorpusResult> {
  return within(async (t, catalogue) => {
    const recorder = await startRecorder(t)
    describeWait?.(() => 'the gateway to start')
    const gateway = await startAttackedGateway(t, { backendUrl: recorder.url, planted, isSecure })
    const received = await runCorpus({ url: gateway.url, inputs, cut, describeWait })
    describeWait?.(() => 'the gateway to say what it counted, and to end')
    const state = await gateway.state().catch(() => undefined)
    await gateway.close()
    const names = createNames(catalogue)
    const counted = state?.counted ?? []
    const findings = judge({ inputs, received, recorder, counted, names })
    findings.crashes.push(...gateway.crashes())
    return { inputs: inputs.length, findings, leniency: leniencyOf(inputs, recorder, names) }
  })
}

/** Sends the inputs to nginx and HAProxy. @returns how lenient each was, by its name */
export function attackPeers(
  inputs: readonly Input[],
  describeWait?: DescribeWait,
): Promise<ReadonlyMap<string, ReadonlyMap<Kind, Leniency>>> {
  return within(async (t, catalogue) => {
    const recorder = await startRecorder(t)
    const names = createNames(catalogue)
    const found = new Map<Peer['name'], ReadonlyMap<Kind, Leniency>>()
    for (const { name, url } of await startPeers(t, { catalogue, backendUrl: recorder.url })) {
      recorder.clear()
      await runCorpus({ url, inputs, patienceMs: 500, concurrency: 96, describeWait })
      found.set(name, leniencyOf(inputs, recorder, names))
    }
    return found
  })
}

/** Works in its own scope. */
export async function within<Value>(
  work: (t: Scope, catalogue: Catalogue) => Promise<Value>,
): Promise<Value> {
  const scope = createScope()
  try {
    return await work(scope, await attackedCatalogue(scope))
  } finally {
    await scope.end()
  }
}
