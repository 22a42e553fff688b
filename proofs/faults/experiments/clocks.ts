import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from '../../../test/support/database.ts'
import { until } from '../../../test/support/until.ts'
import { gatewayIndexes } from '../gateways.ts'
import type { Rig, RigOptions } from '../rig.ts'
import type { Fault } from '../run-fault.ts'

/** The library that shifts the clock of a process, from Debian's `libfaketime`. */
const library = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0]

/** The gateways' wall clocks. Their monotonic clocks stay true. */
export interface ShiftedClocks {
  /** Makes the clock of a gateway adjustable. */
  readonly env: NonNullable<RigOptions['env']>
  /**
   * Sets each gateway's clock ahead of the machine's by its number of seconds,
   * and resolves when all gateways show the new time.
   */
  shift(rig: Rig, seconds: readonly number[]): Promise<void>
}

/** `Date` has whole seconds, of up to a second ago, and a busy machine answers late. */
const toleranceSeconds = 10

export function createShiftedClocks(t: Test): ShiftedClocks {
  if (library === undefined) throw new Error('libfaketime is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'tg-clocks-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const fileOf = (gateway: number): string => join(folder, String(gateway))
  function write(seconds: readonly number[]): void {
    for (const [gateway, ahead] of seconds.entries()) {
      writeFileSync(fileOf(gateway), `${ahead < 0 ? '' : '+'}${ahead}`)
    }
  }
  write(gatewayIndexes.map(() => 0))
  return {
    env: (gateway) => ({
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: fileOf(gateway),
      // Seconds between two reads of the file.
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }),
    async shift({ gateways }, seconds) {
      write(seconds)
      await Promise.all(
        gateways.map(({ urls }, gateway) => {
          const expected = seconds[gateway] ?? 0
          return until(`the clock of gateway ${gateway} is ${expected} s ahead`, async () => {
            const ahead = await secondsAhead(urls.management)
            return Math.abs(ahead - expected) < toleranceSeconds
          })
        }),
      )
    },
  }
}

/** How far a gateway's clock is ahead of this process's, by the `Date` of a response. */
async function secondsAhead(management: string): Promise<number> {
  const response = await fetch(`${management}/metrics`)
  await response.body?.cancel()
  return (Date.parse(response.headers.get('date') ?? '') - Date.now()) / 1000
}

/** Clocks that are wrong or step. Gateways must go by the clock of the store alone. */
export function clockFaults({ shift }: ShiftedClocks): Fault[] {
  const base = { id: 'R9', isOutage: false, lastsMs: [2500, 3500] } as const
  return [
    {
      ...base,
      title: 'gateways at −90 s and +90 s, one steps +1 h, then −1 h',
      begin: ({ rig }) => shift(rig, [-90, 90, 3600, 0]),
      end: ({ rig }) => shift(rig, [-90, 90, -3600, 0]),
    },
    {
      // The store has the machine's clock; only the difference matters.
      ...base,
      title: 'the store 30 s ahead of every gateway',
      begin: ({ rig }) => shift(rig, [-30, -30, -30, -30]),
      // The clocks stay wrong: gateways must still share counts, and no experiment follows on this rig.
      end: async () => undefined,
    },
  ]
}
