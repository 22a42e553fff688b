import { describe, type Input, messageOf, tailOf } from './message.ts'
import { type Received, type SendOptions, send } from './send.ts'

export interface RunOptions extends Pick<SendOptions, 'url' | 'cut' | 'patienceMs'> {
  readonly inputs: readonly Input[]
  /** Concurrent connections. (Default: 48) */
  readonly concurrency?: number
  readonly describeWait?: DescribeWait | undefined
}

/** Sets the function that describes what the run is waiting for, for the message of a timeout. */
export type DescribeWait = (waitsFor: () => string) => void

/** Sends every input on its own connection, with a well-formed request after it. @returns what came back, by index */
export async function runCorpus(options: RunOptions): Promise<Received[]> {
  const { url, inputs, concurrency = 48, cut, patienceMs, describeWait } = options
  const received: Received[] = []
  const sent = new Set<Input>()
  let next = 0
  describeWait?.(() => {
    const [first] = sent
    const which = first === undefined ? 'none' : describe(first)
    return `answers to ${sent.size} of ${inputs.length} inputs, among them ${which}`
  })
  async function work(): Promise<void> {
    for (let at = next++; at < inputs.length; at = next++) {
      const input = inputs[at]
      if (input === undefined) continue
      sent.add(input)
      const octets = messageOf(input) + tailOf(input.number)
      received[at] = await send({ url, octets, cut, patienceMs })
      sent.delete(input)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return received
}
