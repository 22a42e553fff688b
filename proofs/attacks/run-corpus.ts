import { describe, type Input, messageOf, tailOf } from './message.ts'
import { type Received, type SendOptions, send } from './send.ts'

export interface RunOptions extends Pick<SendOptions, 'url' | 'cut' | 'patience'> {
  readonly inputs: readonly Input[]
  /** Connections at a time. (Default: 48) */
  readonly atATime?: number
  /** Takes a function that names what the run waits for at the moment. */
  readonly onWait?: OnWait | undefined
}

/** Takes what names the thing that is waited for, from now on. */
export type OnWait = (waitsFor: () => string) => void

/** Sends every input on its own connection, with a well-formed request after it. @returns what came back, by index */
export async function runCorpus(options: RunOptions): Promise<Received[]> {
  const { url, inputs, atATime = 48, cut, patience, onWait } = options
  const received: Received[] = []
  const sent = new Set<Input>()
  let next = 0
  onWait?.(() => {
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
      received[at] = await send({ url, octets, cut, patience })
      sent.delete(input)
    }
  }
  await Promise.all(Array.from({ length: atATime }, work))
  return received
}
