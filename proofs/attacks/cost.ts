import { startAttackedGateway } from './gateway.ts'
import { type Input, messageOf, tailOf } from './message.ts'
import { startRecorder } from './recorder.ts'
import type { DescribeWait } from './run-corpus.ts'
import { send } from './send.ts'
import { within } from './suite.ts'

/** Processor time of the gateway for one input, with its connection and the well-formed request after it. */
export interface Cost {
  readonly input: Input
  readonly microseconds: number
}

export interface Costs {
  /** Cost of one plain GET on its own connection, in microseconds. */
  readonly get: number
  /** The dearest inputs, the dearest first. */
  readonly dearest: readonly Cost[]
}

/**
 * The most that an input may cost, in plain GETs. Node's parser alone takes 14 ms
 * for the 11,000 chunks of one octet that fit into a read of 64 KiB, which it
 * does not split: on a machine that answers a GET in 0.15 ms, about 90 of them.
 */
export const getsMost = 200

/** Copies of an input that are sent at once, and rounds of which the median counts. */
const copies = 4
const rounds = 7
/**
 * At first, inputs are sent in groups: a dear one makes its group dear. The
 * inputs of the dearest groups follow one by one, and the dearest inputs again,
 * since one garbage collection can make any look dear.
 */
const groupSize = 16
const groupsAgain = 10
const inputsAgain = 24
const shown = 10

/** Measures what each input costs its own gateway. */
export function measureCosts(
  inputs: readonly Input[],
  describeWait?: DescribeWait,
): Promise<Costs> {
  return within(async (t) => {
    const recorder = await startRecorder(t)
    const gateway = await startAttackedGateway(t, { backendUrl: recorder.url })

    /** Microseconds for each of these. */
    async function costOf(octets: readonly string[]): Promise<number> {
      const before = await gateway.state()
      await Promise.all(octets.map((one) => send({ url: gateway.url, octets: one })))
      const after = await gateway.state()
      recorder.clear()
      return (after.processorMicroseconds - before.processorMicroseconds) / octets.length
    }
    async function median(octets: readonly string[]): Promise<number> {
      const costs: number[] = []
      for (let round = 0; round < rounds; round += 1) costs.push(await costOf(octets))
      return costs.toSorted((a, b) => a - b)[rounds >> 1] ?? Number.NaN
    }
    const copiesOf = (input: Input): string[] =>
      new Array<string>(copies).fill(messageOf(input) + tailOf(input.number))

    describeWait?.(() => 'plain GETs')
    const gets = new Array<string>(50).fill(tailOf(1))
    // Code that runs for the first time is slow.
    for (let round = 0; round < 40; round += 1) await costOf(gets)
    const groups: { readonly inputs: readonly Input[]; readonly microseconds: number }[] = []
    describeWait?.(() => `the cost of group ${groups.length + 1} of ${inputs.length / groupSize}`)
    for (let at = 0; at < inputs.length; at += groupSize) {
      const group = inputs.slice(at, at + groupSize)
      const octets = group.map((input) => messageOf(input) + tailOf(input.number))
      groups.push({ inputs: group, microseconds: await costOf(octets) })
    }
    describeWait?.(() => 'the cost of the dearest inputs')
    const single: Cost[] = []
    for (const input of groups
      .toSorted(dearestFirst)
      .slice(0, groupsAgain)
      .flatMap((group) => group.inputs)) {
      single.push({ input, microseconds: await costOf(copiesOf(input)) })
    }
    const get = await median(gets)
    const dearest: Cost[] = []
    for (const { input } of single.toSorted(dearestFirst).slice(0, inputsAgain)) {
      dearest.push({ input, microseconds: await median(copiesOf(input)) })
    }
    return { get, dearest: dearest.toSorted(dearestFirst).slice(0, shown) }
  })
}

function dearestFirst(
  a: { readonly microseconds: number },
  b: { readonly microseconds: number },
): number {
  return b.microseconds - a.microseconds
}
