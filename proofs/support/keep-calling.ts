import { setTimeout as delay } from 'node:timers/promises'
import type { Answer, Client } from '../../test/support/calling.ts'

/** Calls one gateway with one key, repeatedly, until stopped. */
export function keepCalling(
  client: Client,
  key: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const answers: Answer[] = []
  let isStopped = false
  async function run(): Promise<void> {
    while (!isStopped) {
      answers.push(await client.call({ key, headers }))
      await delay(10)
    }
  }
  const running = run()
  return {
    answers,
    async stop() {
      isStopped = true
      await running
    },
  }
}
