import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../../test/support/child-environment.ts'
import { createRandom, type Random } from '../../../test/support/random.ts'
import { createHttpPool } from '../http-pool.ts'
import { emptyOutcome, type Outcome } from '../outcome.ts'
import type { Rig } from '../rig.ts'

/** What a process does with keys when it is killed. */
export const keyKinds = ['issue', 'rotate', 'revoke'] as const
export type KeyKind = (typeof keyKinds)[number]

const program = fileURLToPath(new URL('../key-work.ts', import.meta.url))

/** Concurrent jobs in one process: one kill interrupts this many. */
const lanes = 8

/** Processes at the same time. */
const atOnce = 5

/** Look-ups at the same time at one gateway; more are asked to retry. */
const asking = 6

/** The state that a key must have after the kill, as reported to its developer. */
interface Told {
  readonly key: string
  readonly isRevoked: boolean
}

/** G1: kills processes that work on keys; what was reported before must be true afterwards, on every gateway. */
export async function runKeyKills(
  rig: Rig,
  { kind, kills, seed }: { readonly kind: KeyKind; readonly kills: number; readonly seed: number },
): Promise<Outcome> {
  const random = createRandom(seed, `G1 ${kind}`)
  const told: Told[] = []
  for (let round = 0; round < kills; round += atOnce) {
    const size = Math.min(atOnce, kills - round)
    const rounds = Array.from({ length: size }, () => workAndKill(rig, kind, random))
    for (const shown of await Promise.all(rounds)) told.push(...shown)
  }
  const wrong = await Promise.all(
    rig.gateways.map(({ urls }) => countWrong(Number(new URL(urls.gateway).port), told)),
  )
  const lost = wrong.reduce((sum, count) => sum + count, 0)
  const what = kind === 'revoke' ? 'revoked keys work' : 'shown keys are lost'
  return {
    ...emptyOutcome('G1', `SIGKILL in ${kind}: ${kills} kills, ${lanes} under way in each`),
    calls: told.length * rig.gateways.length,
    notes: [`${told.length} keys judged on ${rig.gateways.length} gateways, ${lost} wrong`],
    violations: lost === 0 ? [] : [`${lost} ${what}`],
  }
}

async function workAndKill(rig: Rig, kind: KeyKind, random: Random): Promise<Told[]> {
  const { DATABASE_URL = '', KEY_PEPPER = '' } = rig.env(0)
  const child = spawn(process.execPath, [program, kind, String(lanes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...childEnvironment, DATABASE_URL, KEY_PEPPER },
  })
  const after = random.between(1, 60)
  const pauseMs = random.between(0, 20)
  const told: Told[] = []
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    const [word, key = ''] = line.split(' ')
    // A line that was cut off by the kill was not shown.
    if (key.length === 65) told.push({ key, isRevoked: word === 'revoked' })
  })
  const ended = once(lines, 'close')
  while (told.length < after && child.exitCode === null) await delay(1)
  if (child.exitCode !== null) throw new Error('the work on keys ended by itself')
  await delay(pauseMs)
  child.kill('SIGKILL')
  await ended
  return told
}

/** Keys whose state at this gateway differs from what was reported. */
async function countWrong(port: number, told: readonly Told[]): Promise<number> {
  const pool = createHttpPool({ port, connectionsMax: asking })
  const left = [...told]
  let wrong = 0
  async function ask(): Promise<void> {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const status = await statusOf(pool, next.key)
      // Its application has no subscription, so a working key gets 403.
      if (status !== (next.isRevoked ? 401 : 403)) wrong += 1
    }
  }
  await Promise.all(Array.from({ length: asking }, ask))
  pool.close()
  return wrong
}

async function statusOf(pool: ReturnType<typeof createHttpPool>, key: string): Promise<number> {
  for (let attempt = 0; ; attempt += 1) {
    const status = await new Promise<number>((resolve) => {
      const request = `GET /v1.7.0/accounts HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\n\r\n`
      pool.ask(request, (answer) => resolve(answer?.status ?? 0))
    })
    // The registry was busy: says nothing about the key.
    if (status !== 503 || attempt === 20) return status
    await delay(100)
  }
}
